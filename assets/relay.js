// The last page of the popup. Hands the result to the page that opened the popup, if that page has
// the registered origin and answers in time. Otherwise goes to the redirect URI itself. Never does
// both.
"use strict";
(() => {
  const ACK_WITHIN = 1500;
  const GOT_WITHIN = 3000;
  const relay = JSON.parse(document.getElementById("relay").textContent);
  const link = document.getElementById("continue");
  let state = "asking";

  const goThere = () => {
    if (state === "asking") {
      state = "gone";
      window.location.replace(relay.target);
    }
  };

  if (!window.opener) {
    goThere();
    return;
  }
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = (event) => {
    if (event.data === "ack" && state === "asking") {
      state = "answered";
      port1.postMessage(relay.result);
      window.setTimeout(() => {
        if (state === "answered") {
          link.hidden = false;
          document.getElementById("waiting").hidden = true;
        }
      }, GOT_WITHIN);
    } else if (event.data === "got" && state === "answered") {
      state = "done";
      window.close();
    }
  };
  // This message does not contain the code, and browsers deliver it only to the registered origin.
  try {
    window.opener.postMessage({ type: "hello" }, relay.origin, [port2]);
  } catch {
    goThere();
    return;
  }
  window.setTimeout(goThere, ACK_WITHIN);
})();
