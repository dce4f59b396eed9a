// Copies the text of a copy button and confirms it. Over plain HTTP there is no clipboard API, so a
// command copies the selected text. docs.js creates buttons of its own and calls `copyFrom`.
"use strict";
(() => {
  const live = document.getElementById("copied");
  const quiet = live.className;
  const SHOWN_FOR = 2000;

  const select = (element) => {
    if (element.select) {
      element.select();
      return;
    }
    window.getSelection().selectAllChildren(element);
  };

  const copy = async (element) => {
    if (navigator.clipboard) {
      try {
        await navigator.clipboard.writeText(element.value ?? element.textContent);
        return true;
      } catch {
        // The clipboard API is not permitted. The copy command may be.
      }
    }
    select(element);
    try {
      return document.execCommand("copy");
    } catch {
      return false;
    }
  };

  window.copyFrom = (button, find) => {
    // The text after the icon. A button that is only an icon has none.
    const text = button.lastChild?.nodeType === Node.TEXT_NODE ? button.lastChild : null;
    const label = text?.data;
    button.addEventListener("click", async () => {
      const copied = await copy(find());
      // Emptied first, so that a screen reader announces the same text again.
      live.textContent = "";
      if (text) text.data = copied ? "Copied" : "Selected";
      window.setTimeout(() => {
        live.textContent = copied ? "Copied" : "Could not copy. The text is selected: press Ctrl+C, or ⌘C on a Mac.";
        live.className = copied && text ? quiet : "toast";
      });
      window.setTimeout(() => {
        if (text) text.data = label;
        if (copied) live.className = quiet;
      }, SHOWN_FOR);
    });
  };

  for (const button of document.querySelectorAll("[data-copy]")) {
    button.hidden = false;
    window.copyFrom(button, () => document.getElementById(button.dataset.copy));
  }
})();
