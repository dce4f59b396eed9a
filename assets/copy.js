// Shows the copy buttons where a script runs, and copies what they stand beside.
"use strict";
for (const button of document.querySelectorAll("[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const text = document.getElementById(button.dataset.copy).textContent;
    await navigator.clipboard.writeText(text);
    const before = button.textContent;
    button.textContent = "Copied";
    window.setTimeout(() => { button.textContent = before; }, 2000);
  });
}
