// The script of the dashboard. Every page works without it. It shows times in the reader's time
// zone, opens confirmations and the search as dialogs, renews lines that wait for something, keeps
// what was typed in a form, and closes menus.
import { install } from "./hotkey.js";
import Combobox from "./combobox-nav.js";
import { Idiomorph } from "./idiomorph.js";

const page = (html) => new DOMParser().parseFromString(html, "text/html");
const load = async (url) => {
  const response = await fetch(url, { headers: { accept: "text/html" } });
  if (!response.ok || response.redirected) throw new Error(`${response.status}`);
  return response.text();
};

/* Times. The server writes them in UTC. */
const MINUTE = 60, HOUR = 3600, DAY = 86400;
const sameYear = new Intl.DateTimeFormat("en-US", { month: "short", day: "numeric" });
const date = new Intl.DateTimeFormat("en-US", { month: "short", day: "numeric", year: "numeric" });
const exact = new Intl.DateTimeFormat("en-US", {
  month: "short", day: "numeric", year: "numeric", hour: "numeric", minute: "2-digit", timeZoneName: "short",
});
const clock = new Intl.DateTimeFormat("en-US", { hour: "numeric", minute: "2-digit" });
const precise = new Intl.DateTimeFormat("en-US", {
  hour: "numeric", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3,
});

const relative = (at, now) => {
  const ago = at <= now;
  const seconds = Math.floor(Math.abs(now - at) / 1000);
  const told = (number, unit) => (ago ? `${number} ${unit} ago` : `in ${number} ${unit}`);
  if (seconds < MINUTE) return ago ? "Just now" : told(Math.max(seconds, 1), "s");
  if (seconds < HOUR) return told(Math.floor(seconds / MINUTE), "min");
  if (seconds < DAY) return told(Math.floor(seconds / HOUR), "h");
  if (seconds < 2 * DAY) return ago ? "Yesterday" : "Tomorrow";
  return (at.getFullYear() === now.getFullYear() ? sameYear : date).format(at);
};

const forms = { relative, date: (at) => date.format(at), exact: (at) => exact.format(at), clock: (at) => clock.format(at), precise: (at) => precise.format(at) };

const tellTimes = (root, only = "[data-form]") => {
  const now = new Date();
  for (const time of root.querySelectorAll(`time${only}`)) {
    const at = new Date(time.dateTime);
    const text = forms[time.dataset.form]?.(at, now);
    if (text && time.textContent !== text) time.textContent = text;
    time.title = exact.format(at);
  }
};

tellTimes(document);
setInterval(() => { if (!document.hidden) tellTimes(document, "[data-form=relative]"); }, 20_000);

/* Dialogs: a link to a page that asks for confirmation opens it above this page. */
const open = (dialog) => {
  document.body.append(dialog);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.showModal();
};

const dialog = (kind, label) => {
  const element = document.createElement("dialog");
  element.className = `dlg ${kind}`;
  element.setAttribute(label.startsWith("#") ? "aria-labelledby" : "aria-label", label.replace("#", ""));
  return element;
};

const ask = async (link) => {
  const asked = page(await load(link.href)).querySelector("#confirm form");
  const element = dialog("", "#confirm-title");
  const title = document.createElement("h2");
  title.id = "confirm-title";
  title.textContent = asked.querySelector("h1").textContent;
  asked.querySelector("h1").replaceWith(title);
  asked.querySelector("[data-close]")?.addEventListener("click", (event) => {
    event.preventDefault();
    element.close();
  });
  element.append(asked);
  open(element);
};

/* The search: the results of /search in a dialog, chosen with the arrow keys. */
const search = () => {
  if (document.querySelector("dialog[open]")) return;
  const element = dialog("search", "Search");
  const field = document.createElement("label");
  field.className = "find";
  const input = document.createElement("input");
  Object.assign(input, { type: "search", placeholder: "Page, contact or ID", autocomplete: "off" });
  input.setAttribute("aria-label", "Search pages, contacts and IDs");
  field.append(input);
  const list = document.createElement("ul");
  Object.assign(list, { className: "box list results", id: "search-results" });
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Results");
  element.append(field, list);
  const combobox = new Combobox(input, list, { tabInsertsSuggestions: false, firstOptionSelectionMode: "selected" });
  let latest = 0;
  const show = async () => {
    const asked = ++latest;
    const found = await load(`/search?q=${encodeURIComponent(input.value)}`).catch(() => null);
    if (found === null || asked !== latest) return;
    const results = page(found).querySelector("#results");
    for (const [place, hit] of [...results.querySelectorAll(".hit")].entries()) {
      hit.setAttribute("role", "option");
      hit.id = `hit-${place}`;
      hit.parentElement.setAttribute("role", "presentation");
    }
    combobox.stop();
    list.replaceChildren(...results.children);
    combobox.start();
  };
  input.addEventListener("input", show);
  element.addEventListener("close", () => combobox.destroy());
  open(element);
  show();
};

document.addEventListener("click", (event) => {
  const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey;
  const link = event.target.closest?.("a[data-dialog], a[data-search]");
  if (link && plain) {
    event.preventDefault();
    if (link.matches("[data-search]")) search();
    else ask(link).catch(() => location.assign(link.href));
  }
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target) || link) menu.open = false;
  }
});

document.addEventListener("keydown", (event) => {
  const menu = event.key === "Escape" && document.querySelector("details.menu[open]");
  if (menu) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});

for (const element of document.querySelectorAll("[data-hotkey]")) install(element);
if (!/Mac|iP/.test(navigator.platform)) {
  for (const key of document.querySelectorAll(".find kbd")) key.textContent = "Ctrl K";
  for (const key of document.querySelectorAll("[data-composer] kbd")) key.textContent = "Ctrl ↵";
}

/* A thread starts at its end. It stays there when messages arrive, unless the reader is further up: then a button says how
   many are new. */
const log = document.querySelector("[data-log]");
const toEnd = () => { log.scrollTop = log.scrollHeight; };

const follow = (part) => {
  if (!log?.contains(part)) return () => {};
  const wasAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 40;
  const before = part.querySelectorAll(".msg").length;
  return () => {
    const added = part.querySelectorAll(".msg").length - before;
    if (wasAtEnd) return toEnd();
    if (added < 1) return;
    const jump = log.querySelector(".jump") ?? document.createElement("button");
    jump.dataset.count = (+jump.dataset.count || 0) + added;
    Object.assign(jump, { type: "button", className: "btn jump", textContent: `${jump.dataset.count} new message${jump.dataset.count === "1" ? "" : "s"}` });
    jump.onclick = () => { toEnd(); jump.remove(); };
    log.append(jump);
  };
};

if (log) {
  toEnd();
  log.addEventListener("scroll", () => {
    if (log.scrollHeight - log.scrollTop - log.clientHeight < 40) log.querySelector(".jump")?.remove();
  });
}

/* The composer: Ctrl or Command with Enter sends, and a draft is stored on the server. */
const composer = document.querySelector("[data-composer]");
composer?.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.metaKey || event.ctrlKey) && composer.reportValidity()) {
    event.preventDefault();
    composer.requestSubmit(composer.querySelector("button.primary"));
  }
});

const drafted = document.querySelector("[data-server-draft]");
if (drafted) {
  let waiting;
  const sent = new AbortController();
  const save = () => {
    const body = new URLSearchParams({ token: composer.elements.token.value, action: "draft", text: drafted.value });
    fetch(composer.action, { method: "POST", body, keepalive: true, signal: sent.signal }).catch(() => {});
  };
  drafted.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(save, 800); });
  composer.addEventListener("submit", () => { clearTimeout(waiting); sent.abort(); });
}

/* Live parts. `data-live` names a fragment, or is empty for the part with the same id of this page. The
   server leaves out the attribute once nothing more can happen. */
const LIVE_EVERY = 1500;

const renew = async (url, parts) => {
  const fresh = page(await load(url || location.href.split("#")[0]));
  for (const part of parts) {
    const next = url ? fresh.body.firstElementChild : fresh.getElementById(part.id);
    if (!next || part.contains(document.activeElement)) continue;
    tellTimes(next);
    const followed = follow(part);
    Idiomorph.morph(part, next);
    followed();
  }
};

let renewing = false;
let again = false;
let renewedAt = 0;
const renewAll = async () => {
  const parts = [...document.querySelectorAll("[data-live]")];
  if (document.hidden || !parts.length) return;
  if (renewing) { again = true; return; }
  renewing = true;
  renewedAt = Date.now();
  const state = document.querySelector("[data-live-state]");
  const urls = new Set(parts.map((part) => part.dataset.live));
  try {
    for (const url of urls) await renew(url, parts.filter((part) => part.dataset.live === url));
    if (state) state.lastChild.textContent = "Live";
  } catch {
    if (state) state.lastChild.textContent = "Offline, trying again";
  }
  renewing = false;
  if (again) { again = false; renewSoon(); }
};

/* Many changes in a row lead to one renewal per second. */
const RENEWED_AT_MOST_EVERY = 1000;
let soon;
const renewSoon = () => {
  const after = Math.max(50, renewedAt + RENEWED_AT_MOST_EVERY - Date.now());
  soon ??= setTimeout(() => { soon = undefined; renewAll(); }, after);
};

/* The inbox is renewed when the server says that something changed. One tab of the browser holds the stream and tells the
   others, because HTTP/1.1 allows six connections. Without a stream the parts are renewed at intervals, as on other pages. */
const SLOWLY = 10_000;
let isStreaming = false;

const stream = (url) => {
  const tabs = new BroadcastChannel("inbox");
  tabs.onmessage = (event) => {
    if (event.data === "ask" && isStreaming === "here") tabs.postMessage("streaming");
    else if (event.data === "streaming") isStreaming ||= "there";
    else if (event.data === "lost") isStreaming = false;
    else renewSoon();
  };
  tabs.postMessage("ask");
  navigator.locks.request("inbox-stream", () => new Promise((release) => {
    const source = new EventSource(url);
    source.onopen = () => { isStreaming = "here"; tabs.postMessage("streaming"); renewSoon(); };
    source.addEventListener("changed", () => { tabs.postMessage("changed"); renewSoon(); });
    source.onerror = () => {
      isStreaming = false;
      tabs.postMessage("lost");
      if (source.readyState === EventSource.CLOSED) setTimeout(release, SLOWLY);
    };
  })).then(() => { tabs.close(); stream(url); });
};

if (document.querySelector("[data-live]")) {
  const url = document.querySelector("[data-stream]")?.dataset.stream;
  if (url && "locks" in navigator) stream(url);
  let last = 0;
  setInterval(() => {
    if (isStreaming && Date.now() - last < SLOWLY) return;
    last = Date.now();
    renewAll();
  }, LIVE_EVERY);
  document.addEventListener("visibilitychange", () => { if (!document.hidden) renewAll(); });
}
for (const state of document.querySelectorAll("[data-live-state]")) state.hidden = false;

/* Drafts: what was typed in a form that creates something survives a closed or reloaded page. */
const fields = (form) => [...form.elements].filter((it) => it.name && it.type !== "hidden" && it.type !== "password" && it.tagName !== "BUTTON");
const isChoice = (it) => it.type === "checkbox" || it.type === "radio";

for (const form of document.querySelectorAll("form[data-draft]")) {
  const key = `draft ${form.action}`;
  const draft = JSON.parse(sessionStorage.getItem(key) ?? "null");
  const isUntouched = !form.querySelector("[aria-invalid]") && !document.querySelector(".once");
  if (draft && isUntouched && draft.length === fields(form).length) {
    fields(form).forEach((it, place) => {
      if (isChoice(it)) it.checked = draft[place];
      else it.value = draft[place];
    });
  }
  form.addEventListener("input", () => {
    const typed = fields(form).map((it) => (isChoice(it) ? it.checked : it.value));
    sessionStorage.setItem(key, JSON.stringify(typed));
  });
  form.addEventListener("submit", () => sessionStorage.removeItem(key));
}
document.querySelector("form[action='/logout']")?.addEventListener("submit", () => sessionStorage.clear());
