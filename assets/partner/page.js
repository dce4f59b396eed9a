// Shows a message when the popup returns without a code.
"use strict";
document.addEventListener("service:connect", (event) => {
  const { error } = event.detail;
  if (error === "popup_closed") {
    const said = document.getElementById("said");
    said.className = "ill";
    said.textContent = "You closed the window. Nothing was connected.";
  }
});
