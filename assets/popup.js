// On the pages that the popup passes before the answer: tells the page that opened it that the link
// between them lives. Only then does a closed popup mean that the person closed it.
"use strict";
(() => {
  const origin = document.querySelector('meta[name="connect-opener"]')?.content;
  if (origin && window.opener) {
    window.opener.postMessage({ type: "opened" }, origin);
  }
})();
