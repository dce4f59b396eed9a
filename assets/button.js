// Switchboard's Connect button. Include it with <script defer src="…/connect/button.js"></script>
// and add the attributes data-service-connect and data-authorize-url to a button. It has no
// dependencies and works under a strict CSP.
(() => {
  "use strict";
  // Inserted when this file is served, because the page's markup can override document.currentScript.
  const SERVICE = "{{service_origin}}";
  const MARK = "[data-service-connect]";
  const LOOK_EVERY = 400;
  const STYLE = `
    ${MARK}:not([data-unstyled]) {
      display: inline-flex; align-items: center; justify-content: center; gap: .5em; min-height: 2.75em;
      padding: .5em 1.25em; border: 1px solid transparent; border-radius: 999px; background: #1f6f54; color: #fff;
      font: 600 1rem/1.2 system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif; text-decoration: none; cursor: pointer;
    }
    ${MARK}:not([data-unstyled]):hover { background: #185a44; }
    ${MARK}:not([data-unstyled]):focus-visible { outline: 3px solid #0b57d0; outline-offset: 2px; }
    ${MARK}:not([data-unstyled])[aria-busy="true"] { opacity: .75; cursor: progress; }
    @media (forced-colors: active) { ${MARK}:not([data-unstyled]) { border-color: ButtonText; } }`;
  const complain = (what) => console.error(`[connect] ${what}`);

  // The running handshake of each button. A button has at most one.
  const running = new WeakMap();

  const read = (button) => {
    const text = button.getAttribute("data-authorize-url");
    if (!text) {
      complain("The button has no data-authorize-url. Your server builds it.");
      return null;
    }
    let url;
    try {
      url = new URL(text);
    } catch {
      complain("The button's data-authorize-url is not a valid URL.");
      return null;
    }
    if (url.origin !== SERVICE) {
      complain(`The button's data-authorize-url is not at ${SERVICE}.`);
      return null;
    }
    const redirect = url.searchParams.get("redirect_uri");
    const target = button.getAttribute("data-redirect-uri") || redirect;
    try {
      const to = new URL(target);
      if (!/^https?:$/.test(to.protocol) || to.origin !== new URL(redirect).origin) {
        complain("The button's data-redirect-uri has another origin than the redirect_uri.");
        return null;
      }
    } catch {
      complain("The button's data-redirect-uri is not a valid URL.");
      return null;
    }
    return { text, target, state: url.searchParams.get("state") };
  };

  const start = (button) => {
    const earlier = running.get(button);
    if (earlier && !earlier.popup.closed) {
      earlier.popup.focus();
      return;
    }
    if (earlier) earlier.finish();
    const asked = read(button);
    if (!asked) return;
    const url = asked.text + (asked.text.includes("?") ? "&" : "?") + "display=popup";
    const left = Math.max(0, window.screenX + (window.outerWidth - 520) / 2);
    const top = Math.max(0, window.screenY + (window.outerHeight - 720) / 2);
    const popup = window.open(url, "_blank", `popup,width=520,height=720,left=${left},top=${top}`);
    if (!popup) {
      window.location.assign(asked.text);
      return;
    }
    attend(button, popup, asked);
  };

  // Whether the popup went to the redirect URI itself, because this page answered too late. Then
  // the popup has this page's origin, and closing it no longer means that the member canceled.
  const isBack = (popup) => {
    try {
      return popup.location.href !== "about:blank";
    } catch {
      return false;
    }
  };

  const attend = (button, popup, asked) => {
    let alive = false;
    let handed = false;
    let done = false;
    let watch = 0;
    const finish = () => {
      done = true;
      window.clearInterval(watch);
      window.removeEventListener("message", listen);
      running.delete(button);
      button.removeAttribute("aria-busy");
    };
    const tell = (detail) =>
      button.dispatchEvent(new CustomEvent("service:connect", { bubbles: true, cancelable: true, detail }));
    const receive = (port, result) => {
      if (done || !result || result.type !== "result" || result.state !== asked.state) return;
      // The member clicked Continue in the popup, so the redirect URI was already opened there.
      if (isBack(popup)) {
        finish();
        return;
      }
      port.postMessage("got");
      finish();
      const { code = null, state, error = null, error_description: errorDescription = null, iss, query } = result;
      if (tell({ code, state, error, errorDescription, iss })) {
        window.location.assign(asked.target + (asked.target.includes("?") ? "&" : "?") + query);
      }
    };
    const listen = (event) => {
      if (done || event.origin !== SERVICE || event.source !== popup || !event.data) return;
      if (event.data.type === "opened") {
        alive = true;
      } else if (event.data.type === "hello" && event.ports.length === 1) {
        alive = true;
        handed = true;
        const [port] = event.ports;
        port.onmessage = (message) => receive(port, message.data);
        port.postMessage("ack");
      }
    };
    window.addEventListener("message", listen);
    // A severed popup reads as closed while it is open. So only a popup that sent a message can
    // count as closed.
    let closedBefore = false;
    watch = window.setInterval(() => {
      if (!alive) return;
      if (!popup.closed) {
        if (isBack(popup)) finish();
        return;
      }
      if (!closedBefore) {
        closedBefore = true;
        return;
      }
      finish();
      // After the handover the popup delivers its result itself: on the port or by going to the redirect URI.
      if (!handed) {
        tell({ code: null, state: asked.state, error: "popup_closed", errorDescription: "The member closed the popup.", iss: null });
      }
    }, LOOK_EVERY);
    running.set(button, { popup, finish });
    button.setAttribute("aria-busy", "true");
    // Without a message from the popup, this page cannot learn when the popup is done.
    window.setTimeout(() => { if (!alive) button.removeAttribute("aria-busy"); }, 10000);
  };

  const buttonOf = (event) => (event.target instanceof Element ? event.target.closest(MARK) : null);
  document.addEventListener("click", (event) => {
    const button = buttonOf(event);
    if (!button || event.defaultPrevented || button.matches(":disabled, [aria-disabled='true']")) return;
    event.preventDefault();
    start(button);
  });
  // An element that is not a button must work with the keyboard like one.
  document.addEventListener("keydown", (event) => {
    const button = buttonOf(event);
    if (!button || button.matches("button, input, a[href]") || (event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    start(button);
  });
  const dress = () => {
    for (const button of document.querySelectorAll(MARK)) {
      if (!button.matches("button, input, a[href]")) {
        if (!button.hasAttribute("role")) button.setAttribute("role", "button");
        if (!button.hasAttribute("tabindex")) button.setAttribute("tabindex", "0");
      }
    }
  };
  try {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  } catch {
    // An old browser does not support this, and the page's own style applies.
  }
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", dress);
  else dress();
})();
