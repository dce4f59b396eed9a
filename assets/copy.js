// Shows the copy buttons where a script runs, and copies what they stand beside. Over plain http browsers
// offer no clipboard: there the text is selected and copied as a person would do it.
"use strict";
(() => {
  const live = document.getElementById("copied");
  const SHOWN_FOR = 2000;

  const select = (element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    const selection = window.getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
  };

  const copy = async (element) => {
    if (navigator.clipboard) {
      try {
        await navigator.clipboard.writeText(element.textContent);
        return true;
      } catch {
        // Not allowed to: the other way may be open.
      }
    }
    select(element);
    try {
      return document.execCommand("copy");
    } catch {
      return false;
    }
  };

  for (const button of document.querySelectorAll("[data-copy]")) {
    const label = button.textContent;
    button.hidden = false;
    button.addEventListener("click", async () => {
      const copied = await copy(document.getElementById(button.dataset.copy));
      // Emptied first, so that the same words are read out again.
      live.textContent = "";
      button.textContent = copied ? "Copied" : "Selected";
      window.setTimeout(() => {
        live.textContent = copied ? "Copied" : "Could not copy. The text is selected: press Ctrl+C, or ⌘C on a Mac.";
        live.className = copied ? "unseen" : "toast";
      });
      window.setTimeout(() => { button.textContent = label; }, SHOWN_FOR);
    });
  }
})();
