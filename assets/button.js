// Switchboard's Connect button: include it with <script defer src="…/connect/button.js"></script>, and give
// a button data-service-connect and data-authorize-url. No dependencies; works under a strict CSP.
(() => {
  "use strict";
  // Baked in when this file is served: document.currentScript can be clobbered by the page's own markup.
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

  // One handshake at a time and button.
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
      complain("The button's data-authorize-url is no address.");
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
      complain("The button's data-redirect-uri is no address.");
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

  // Whether the popup went to the redirect URI itself, because this page answered too late: it is of
  // this page's origin then, and its closing says nothing any more.
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
      // Whoever clicked Continue in the popup has been there already.
      if (isBack(popup)) {
        finish();
        return;
      }
      port.postMessage("got");
      finish();
      const { code = null, state, error = null, query } = result;
      if (tell({ code, state, error })) {
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
    // A link that was severed reads as closed while the popup is open: only one that lived can be closed.
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
      // The popup had its answer: it delivered that itself, or does so on the port.
      if (!handed) tell({ code: null, state: asked.state, error: "popup_closed" });
    }, LOOK_EVERY);
    running.set(button, { popup, finish });
    button.setAttribute("aria-busy", "true");
    // Of a window that cannot be seen nobody learns when it is done.
    window.setTimeout(() => { if (!alive) button.removeAttribute("aria-busy"); }, 10000);
  };

  const buttonOf = (event) => (event.target instanceof Element ? event.target.closest(MARK) : null);
  document.addEventListener("click", (event) => {
    const button = buttonOf(event);
    if (!button || event.defaultPrevented || button.matches(":disabled, [aria-disabled='true']")) return;
    event.preventDefault();
    start(button);
  });
  // What is no button by itself is used with the keyboard like one.
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
    // An old browser shows the button as the page does.
  }
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", dress);
  else dress();
})();
