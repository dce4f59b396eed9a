// Runs on the pages of the popup before the result. Tells the page that opened the popup that the
// two can communicate. Only then does that page take a closed popup as closed by the member.
"use strict";
(() => {
  const origin = document.querySelector('meta[name="connect-opener"]')?.content;
  if (origin && window.opener) {
    window.opener.postMessage({ type: "opened" }, origin);
  }
})();
