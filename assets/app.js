// The script of the dashboard. Every page works without it.
import { install, uninstall } from "./hotkey.js";
import Combobox from "./combobox-nav.js";
import { Idiomorph } from "./idiomorph.js";

const page = (html) => new DOMParser().parseFromString(html, "text/html");
/* Only this service has request ids: a proxy may answer 404 during an update. */
const refusal = ({ status, redirected, headers }) => Object.assign(new Error(status), {
  isSignedOut: redirected,
  isGone: !redirected && headers.has("x-request-id") && (status === 403 || status === 404),
});
/* Keeps the text of one member from another in the same tab. */
const memberOf = (root) => root.querySelector(".side-foot summary")?.title ?? "";
const member = memberOf(document);
const addressWithout = (...names) => {
  const url = new URL(location.href);
  for (const name of names) url.searchParams.delete(name);
  return url;
};
const load = async (url, body) => {
  const response = await fetch(url, { method: body ? "POST" : "GET", body, headers: { accept: "text/html" }, signal: AbortSignal.timeout(20_000) });
  if (!response.ok || response.redirected) throw refusal(response);
  return response.text();
};

const DAY = 86400;
const sameYear = new Intl.DateTimeFormat("en-US", { month: "short", day: "numeric" });
const date = new Intl.DateTimeFormat("en-US", { month: "short", day: "numeric", year: "numeric" });
const exact = new Intl.DateTimeFormat("en-US", {
  month: "short", day: "numeric", year: "numeric", hour: "numeric", minute: "2-digit", timeZoneName: "short",
});
const exactSeconds = new Intl.DateTimeFormat("en-US", {
  month: "short", day: "numeric", year: "numeric", hour: "numeric", minute: "2-digit", second: "2-digit", timeZoneName: "short",
});
const clock = new Intl.DateTimeFormat("en-US", { hour: "numeric", minute: "2-digit" });
const precise = new Intl.DateTimeFormat("en-US", {
  hour: "numeric", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3,
});

const relative = (at, now) => {
  const ago = at <= now;
  const seconds = Math.floor(Math.abs(now - at) / 1000);
  const told = (number, unit) => (ago ? `${number} ${unit} ago` : `in ${number} ${unit}`);
  if (seconds < 60) return ago ? "Just now" : told(seconds || 1, "s");
  if (seconds < 3600) return told(Math.floor(seconds / 60), "min");
  if (seconds < DAY) return told(Math.floor(seconds / 3600), "h");
  if (seconds < 2 * DAY) return ago ? "Yesterday" : "Tomorrow";
  return (at.getFullYear() === now.getFullYear() ? sameYear : date).format(at);
};

const forms = {
  relative, date: date.format, exact: exact.format, seconds: exactSeconds.format, clock: clock.format, precise: precise.format,
  ago: (at, now) => (now - at < 2 * DAY * 1000 ? relative(at, now).toLowerCase() : date.format(at)),
};

const tellTimes = (root) => {
  const now = new Date();
  for (const time of root.querySelectorAll("time[data-form]")) {
    const at = new Date(time.dateTime);
    const text = forms[time.dataset.form]?.(at, now);
    if (text && time.textContent !== text) time.textContent = text;
    time.title = exact.format(at);
  }
};

tellTimes(document);
setInterval(() => { if (!document.hidden) tellTimes(document); }, 20_000);

const open = (dialog) => {
  document.body.append(dialog);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.showModal();
};

const dialog = (className, attribute, label) => {
  const element = document.createElement("dialog");
  element.className = className;
  element.setAttribute(attribute, label);
  return element;
};

const ask = async (link) => {
  const asked = page(await load(link.href)).querySelector("#confirm form");
  const element = dialog("dlg", "aria-labelledby", "confirm-title");
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

/* Escape leaves a search field, unless it ends the word of an input method. */
const isEscape = (event) => event.key === "Escape" && !event.isComposing;

const pick = (label, placeholder, find) => {
  if (document.querySelector("dialog[open]")) return;
  const element = dialog("dlg search", "aria-label", label);
  const field = document.createElement("label");
  field.className = "find";
  const input = document.createElement("input");
  Object.assign(input, { type: "search", placeholder, autocomplete: "off" });
  input.setAttribute("aria-label", label);
  field.append(input);
  const list = document.createElement("ul");
  Object.assign(list, { className: "box list results", id: "search-results" });
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Results");
  element.append(field, list);
  const combobox = new Combobox(input, list, { tabInsertsSuggestions: false, firstOptionSelectionMode: "selected" });
  const selected = () => list.querySelector("[aria-selected=true]");
  let latest = 0, shown;
  const show = async () => {
    const asked = ++latest;
    const found = await find(input.value).catch(() => {});
    if (!found || asked !== latest) return;
    for (const [place, row] of found.entries()) {
      const hit = row.querySelector(".hit");
      hit?.setAttribute("role", "option");
      if (hit) hit.id = `hit-${place}`;
      row.setAttribute("role", "presentation");
    }
    combobox.stop();
    list.replaceChildren(...found);
    combobox.start();
  };
  input.addEventListener("input", () => { shown = show(); });
  input.addEventListener("keydown", (event) => {
    /* Enter may come before the results. */
    if (event.key === "Enter" && !event.isComposing && !selected()) shown?.then(() => selected()?.click());
    if (!isEscape(event)) return;
    event.preventDefault();
    element.close();
  });
  element.addEventListener("close", () => combobox.destroy());
  open(element);
  show();
};

const search = () => pick("Search pages, contacts and IDs", "Page, contact or ID", async (text) =>
  [...page(await load(`/search?q=${encodeURIComponent(text)}`)).querySelector("#results").children]);

const savedReplies = (link) => {
  const all = load(link.href);
  pick("Saved replies", "Name or text", async (text) => {
    const links = [...page(await all).querySelectorAll("#saved a")];
    if (!links.length) location.assign(link.href);
    return links.filter((it) => it.textContent.toLowerCase().includes(text.toLowerCase())).map((it) => {
      const row = document.createElement("li");
      it.className = "hit";
      row.append(it);
      return row;
    });
  });
};

document.addEventListener("click", (event) => {
  const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey;
  const link = event.target.closest?.("a[data-dialog], a[data-search], a[data-saved]");
  if (link && plain) {
    event.preventDefault();
    if (link.matches("[data-search]")) search();
    else if (link.matches("[data-saved]")) savedReplies(link);
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

const inboxSearch = document.querySelector("form[role=search] input[type=search]");
inboxSearch?.addEventListener("keydown", (event) => {
  if (!isEscape(event)) return;
  event.preventDefault();
  inboxSearch.value = "";
  inboxSearch.blur();
  if (!inboxSearch.defaultValue) return;
  location.assign(addressWithout("q", "after"));
});

const settings = { sound: true, notify: false, keys: true, ...JSON.parse(localStorage.getItem("inbox") ?? "{}") };
const device = document.querySelector("[data-device]");
if (device) {
  device.hidden = false;
  for (const box of device.querySelectorAll("[data-setting]")) box.checked = settings[box.dataset.setting];
  device.addEventListener("change", async ({ target }) => {
    if (target.dataset.setting === "notify" && target.checked) {
      target.checked = await window.Notification?.requestPermission() === "granted";
    }
    settings[target.dataset.setting] = target.checked;
    localStorage.setItem("inbox", JSON.stringify(settings));
  });
}

const installKeys = (root) => {
  for (const element of root.querySelectorAll("[data-hotkey]")) {
    if (settings.keys) install(element);
    else if (element.dataset.hotkey.includes("Mod")) install(element, element.dataset.hotkey.split(",")[0]);
  }
};
installKeys(document);
if (!/Mac|iP/.test(navigator.platform)) {
  for (const key of document.querySelectorAll("kbd[aria-hidden]")) key.textContent = key.textContent.replace("⌘", "Ctrl ");
}

const log = document.querySelector("[data-log]");
const toEnd = () => { log.scrollTop = log.scrollHeight; };
const isAtEnd = () => log.scrollHeight - log.scrollTop - log.clientHeight < 40;
const messageIds = (part) => Array.from(part.querySelectorAll(".msg:has(> .meta)"), (it) => it.id);

/* The composer carries the last message that the reader has had time to see. */
const see = () => {
  const last = log.querySelector("[data-last]").dataset.last;
  setTimeout(() => { if (composer) composer.elements.seen.value = last; }, 2000);
};

const tellNew = (added) => {
  const jump = log.querySelector(".jump") ?? document.createElement("button");
  const count = jump.dataset.count = (+jump.dataset.count || 0) + added;
  Object.assign(jump, { type: "button", className: "btn jump", textContent: `${count} new message${count === 1 ? "" : "s"}` });
  jump.onclick = () => { toEnd(); jump.remove(); see(); };
  log.append(jump);
};

const renewThread = (part, next) => {
  const wasAtEnd = isAtEnd();
  const known = new Set(messageIds(part));
  const newest = messageIds(next);
  const added = newest.filter((id) => !known.has(id)).length;
  // A reader who is further up keeps the older messages, unless some between are missing.
  const keepsOld = !wasAtEnd && added < newest.length;
  const beforeNodeRemoved = (node) => !(keepsOld && node.matches?.(".msg[id]"));
  Idiomorph.morph(part, next, { callbacks: { beforeNodeRemoved } });
  if (wasAtEnd) { see(); toEnd(); }
  else if (added > 0) tellNew(added);
};

if (log) {
  toEnd();
  log.addEventListener("scroll", () => {
    const jump = isAtEnd() && log.querySelector(".jump");
    if (jump) { jump.remove(); see(); }
  });
}

/* Escape leaves the text, so that the keys of the inbox work. */
const composer = document.querySelector("[data-composer]");
composer?.addEventListener("keydown", (event) => {
  if (isEscape(event) && event.target.matches("textarea")) log.focus({ preventScroll: true });
  if (event.key === "Enter" && (event.metaKey || event.ctrlKey) && composer.reportValidity()) {
    event.preventDefault();
    composer.requestSubmit(composer.querySelector("footer .primary, button.primary"));
  }
});

const preview = document.getElementById("preview");
composer?.addEventListener("input", () => {
  if (!preview) return;
  const filled = (place, text) => text.replace(/\{\{([^{}]+)\}\}/g, (all, name) =>
    composer.elements[`parameter.${place}.${name}`]?.value || all);
  const [first, ...rest] = preview.dataset.text.split("\n");
  const hasHeader = composer.querySelector("[name^='parameter.header.']:not([name$='.link'])");
  preview.textContent = hasHeader
    ? [filled("header", first), filled("body", rest.join("\n"))].join("\n")
    : filled("body", preview.dataset.text);
});

const previewed = document.querySelector("form[data-preview]");
let previewSoon, latestPreview = 0;
const showPreview = async () => {
  const asked = ++latestPreview;
  const body = new URLSearchParams(new FormData(previewed));
  body.set("action", "preview");
  const fresh = page(await load(previewed.getAttribute("action"), body));
  if (asked !== latestPreview) return;
  for (const id of ["phone-preview", "phone-call"]) {
    document.getElementById(id).replaceChildren(...fresh.getElementById(id).childNodes);
  }
};
previewed?.addEventListener("input", () => {
  clearTimeout(previewSoon);
  previewSoon = setTimeout(() => {
    const asked = latestPreview + 1;
    showPreview().catch(() => {
      if (asked === latestPreview) document.getElementById("phone-preview").textContent = "The preview can’t be loaded.";
    });
  }, 300);
});

const drafted = document.querySelector("[data-server-draft]");
const agentDraft = document.getElementById("agent-draft");
const draftOf = (part) => part.querySelector("input")?.value;

/* What the member typed is kept. In a field with the focus, typing replaces the draft. */
let dismissed, isTouched = false;
const forgetAgentDraft = () => {
  dismissed = draftOf(agentDraft) ?? dismissed;
  agentDraft.replaceChildren();
};
const showAgentDraft = (fresh) => {
  const [next, text] = [fresh.getElementById("agent-draft"), fresh.querySelector("[data-server-draft]")];
  if (!agentDraft || !next || draftOf(next) === draftOf(agentDraft)) return;
  if (dismissed && draftOf(next) === dismissed) return;
  const isUnchanged = !isTouched && agentDraft.querySelector(".drafted") && drafted.value === drafted.defaultValue;
  if (drafted.value !== "" && !isUnchanged) return;
  const file = document.querySelector("[data-attached]");
  if (drafted.value === "" && ((file && !file.hidden) || composer.elements.reply_to)) return;
  isTouched = false;
  agentDraft.replaceChildren(...next.childNodes);
  drafted.defaultValue = drafted.value = text.defaultValue;
  if (drafted === document.activeElement) drafted.select();
};

const PAUSE = 800, STORED_EVERY = 3000;
/* How long the next page may take the last words from this one. */
const KEPT_FOR = 10_000;

if (drafted) {
  let waiting, since;
  const sent = new AbortController();
  // Undefined while a save is in flight.
  let isStored = true;
  // The texts that the server may have from this page.
  const opened = drafted.value;
  let asked = [];
  const post = () => {
    asked = [...asked.slice(-2), drafted.value];
    const body = new URLSearchParams({ token: composer.elements.token.value, action: "draft", text: drafted.value });
    return fetch(composer.getAttribute("action"), { method: "POST", body, keepalive: true, signal: sent.signal }).then(({ ok }) => ok, () => false);
  };
  // Saves follow one another, so that the newest text arrives last.
  let saving = Promise.resolve(), isNext = false;
  const save = () => {
    if (isNext) return;
    isNext = true;
    saving = saving.then(async () => {
      isNext = false;
      isStored = undefined;
      // The draft takes the place of the saved reply that filled the field.
      history.replaceState(null, "", addressWithout("saved"));
      // A save that hangs does not stop the next one.
      isStored = await Promise.race([post(), new Promise((done) => setTimeout(done, 20_000, false))]);
    });
  };
  const stop = () => { clearTimeout(waiting); waiting = undefined; };
  const saveSoon = () => {
    since = waiting ? since : Date.now();
    stop();
    waiting = setTimeout(() => { waiting = undefined; save(); }, Math.min(PAUSE, Math.max(0, since + STORED_EVERY - Date.now())));
  };
  drafted.addEventListener("beforeinput", () => {
    if (drafted.selectionStart === 0 && drafted.selectionEnd === drafted.value.length) forgetAgentDraft();
  });
  drafted.addEventListener("input", () => {
    isTouched = true;
    if (drafted.value === "") forgetAgentDraft();
    const link = drafted.value === "/" && composer.querySelector("[data-saved]");
    if (link) { drafted.value = ""; savedReplies(link); }
    saveSoon();
  });
  composer.addEventListener("submit", () => { stop(); sent.abort(); });
  // The next page is loaded before this one ends, so it may lack the last words.
  const place = `unsaved ${member} ${location.pathname}`;
  addEventListener("pagehide", () => {
    if (sent.signal.aborted || (!waiting && isStored)) return;
    const until = isStored === false ? null : Date.now() + KEPT_FOR;
    const kept = { text: drafted.value, asked: [opened, ...asked], turn: draftOf(agentDraft) ?? "", until };
    sessionStorage.setItem(place, JSON.stringify(kept));
    stop();
    post();
  });
  const kept = JSON.parse(sessionStorage.getItem(place) ?? "null");
  sessionStorage.removeItem(place);
  // What was written elsewhere meanwhile is newer.
  const isNewer = drafted.value !== "" && !draftOf(agentDraft) && !kept?.asked.includes(drafted.value) && drafted.value !== kept?.text;
  if (kept && !isNewer && (kept.until ?? Infinity) > Date.now()) {
    if (kept.turn !== (draftOf(agentDraft) ?? "")) forgetAgentDraft();
    drafted.value = kept.text;
    isTouched = true;
    save();
  }
}

const attached = composer?.querySelector("[data-attached]");
const chosen = composer?.querySelector("[name=file]");

const showFile = (voice) => {
  const file = chosen.files[0];
  const isLarge = file?.size > 100 * 1024 * 1024;
  if (isLarge) chosen.value = "";
  for (const it of attached.querySelectorAll("input")) it.remove();
  attached.hidden = !file;
  attached.querySelector("b").textContent = isLarge ? "At most 100 MB can be sent." : voice ? "Voice message" : file?.name ?? "";
  attached.querySelector("span").textContent = file ? `${(file.size / 1024 / 1024).toFixed(1)} MB` : "";
  const address = file && !isLarge ? URL.createObjectURL(file) : "";
  for (const [css, kind] of [["img", "image/"], ["audio", "audio/"]]) {
    const shown = attached.querySelector(css);
    shown.hidden = !address || !file.type.startsWith(kind);
    if (!shown.hidden) shown.src = address;
  }
  if (voice) attached.append(Object.assign(document.createElement("input"), { type: "hidden", name: "voice", value: "yes" }));
  attached.querySelector("button").hidden = false;
};

if (attached && chosen) {
  const label = composer.querySelector("[data-attach]");
  if (label) label.hidden = false;
  const attach = (files, voice) => {
    const transfer = new DataTransfer();
    transfer.items.add(files[0]);
    chosen.files = transfer.files;
    showFile(voice);
  };
  chosen.addEventListener("change", () => showFile());
  attached.querySelector("button").hidden = attached.hidden;
  attached.querySelector("button").addEventListener("click", () => { chosen.value = ""; showFile(); });
  const thread = document.getElementById("thread");
  thread.addEventListener("dragover", (event) => event.preventDefault());
  for (const [kind, data] of [["drop", "dataTransfer"], ["paste", "clipboardData"]]) {
    thread.addEventListener(kind, (event) => {
      if (!event[data].files.length) return;
      event.preventDefault();
      attach(event[data].files);
    });
  }
  const record = composer.querySelector("[data-record]");
  const kinds = ["audio/ogg;codecs=opus", "audio/webm;codecs=opus", "audio/mp4"];
  if (record && navigator.mediaDevices && "MediaRecorder" in window) {
    record.hidden = false;
    let recorder;
    record.addEventListener("click", async () => {
      if (recorder?.state === "recording") return recorder.stop();
      const sound = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1 } }).catch(() => null);
      record.setAttribute("aria-label", sound ? "Stop recording" : "The microphone is not allowed");
      if (!sound) return;
      const mimeType = kinds.find((it) => MediaRecorder.isTypeSupported(it));
      recorder = new MediaRecorder(sound, { mimeType, audioBitsPerSecond: 32_000 });
      const parts = [];
      recorder.addEventListener("dataavailable", (event) => parts.push(event.data));
      recorder.addEventListener("stop", () => {
        for (const track of sound.getTracks()) track.stop();
        record.setAttribute("aria-pressed", "false");
        record.setAttribute("aria-label", "Record a voice message");
        const type = mimeType.split(";")[0];
        attach([new File(parts, `voice.${type.split("/")[1].replace("mp4", "m4a")}`, { type })], true);
      });
      recorder.start();
      record.setAttribute("aria-pressed", "true");
    });
  }
}

/* A list is renewed while something in it has the focus. In a form that could become another choice. */
const isInUse = (part) => part.contains(document.activeElement) && !part.matches("ol, ul, tbody, :has(> table)");

/* The composer keeps its kind, also when the customer service window opens or closes. */
const here = () => {
  const url = addressWithout();
  url.hash = "";
  if (composer?.dataset.kind) url.searchParams.set("compose", composer.dataset.kind);
  return url;
};

/* `data-live` names a fragment, or is empty for the part with the same id of this page. */
const renew = async (url, parts) => {
  const fresh = page(await load(url || here()));
  if (!url) showAgentDraft(fresh);
  for (const part of parts) {
    const next = url ? fresh.body.firstElementChild : fresh.getElementById(part.id);
    if (!next || isInUse(part)) continue;
    tellTimes(next);
    const focused = part.contains(document.activeElement) ? document.activeElement : null;
    for (const element of part.querySelectorAll("[data-hotkey]")) uninstall(element);
    if (log?.contains(part)) renewThread(part, next);
    else Idiomorph.morph(part, next);
    installKeys(part);
    if (focused?.isConnected) focused.focus({ preventScroll: true });
  }
};

const isInbox = !!document.getElementById("conversations");
/* Of several tabs in the background with the same list, one counts for all. */
let counts = isInbox && !navigator.locks;
if (isInbox && !counts) {
  navigator.locks.request(`inbox-count${location.search}`, () => new Promise(() => { counts = true; })).catch(() => {});
}
const title = document.title;
const icon = document.querySelector("link[rel=icon]");
let unread;

const drawIcon = (hasUnread) => {
  if (!hasUnread) { icon.href = icon.dataset.plain; return; }
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 64;
  const image = new Image();
  image.onload = () => {
    const pen = canvas.getContext("2d");
    pen.drawImage(image, 0, 0, 64, 64);
    pen.arc(48, 16, 15, 0, 7);
    pen.fillStyle = "#e5484d";
    pen.fill();
    canvas.toBlob((blob) => { icon.href = URL.createObjectURL(blob); });
  };
  image.src = icon.dataset.plain;
};

/* Several tabs may list the same message. The first one makes the sound, and keeps the others quiet. */
const ring = () => {
  // Browsers play nothing on a page that nobody has touched.
  if (navigator.userActivation && !navigator.userActivation.hasBeenActive) return;
  if (!navigator.locks) return beep();
  navigator.locks.request("inbox-sound", { ifAvailable: true }, (lock) => {
    if (!lock) return;
    beep();
    return new Promise((end) => setTimeout(end, 8000));
  });
};

const beep = () => {
  const context = new AudioContext();
  const tone = context.createOscillator(), volume = context.createGain();
  tone.frequency.value = 880;
  volume.gain.setValueAtTime(0.1, context.currentTime);
  volume.gain.exponentialRampToValueAtTime(0.001, context.currentTime + 0.4);
  tone.connect(volume).connect(context.destination);
  tone.start();
  tone.stop(context.currentTime + 0.4);
  tone.onended = () => context.close();
};

const countUnread = (root) => {
  const rows = [...root.querySelectorAll("#conversations .conv.new")];
  const messages = rows.reduce((sum, row) => sum + parseInt(row.querySelector(".unread").textContent), 0);
  document.title = rows.length ? `(${rows.length}) ${title}` : title;
  if (unread === undefined ? rows.length : !unread !== !messages) {
    icon.dataset.plain ??= icon.href;
    drawIcon(messages > 0);
  }
  const isNew = messages > unread;
  unread = messages;
  if (!isNew) return;
  if (settings.sound) ring();
  if (settings.notify && document.hidden && Notification.permission === "granted") {
    const shown = new Notification(rows[0].querySelector(".who").textContent, { body: "New message", tag: "inbox" });
    shown.onclick = () => { window.focus(); shown.close(); };
  }
};

const GONE = "You can’t open this conversation anymore. Copy your text if you need it.";
const SIGNED_OUT = "You are signed out. Sign in on another tab, and go on here.";
const OFFLINE = "The server can’t be reached. Your text stays here, and the page tries again.";
const trouble = document.createElement("div");
trouble.className = "note warn";
trouble.setAttribute("role", "alert");
let isOver = false, wasSignedOut = false;

const tellTrouble = (why) => {
  const wasAtEnd = log && isAtEnd();
  if (!why) trouble.remove();
  else if (trouble.textContent !== why) trouble.textContent = why;
  if (why && !trouble.isConnected) composer?.prepend(trouble);
  if (wasAtEnd) toEnd();
};

const tellFailure = (error, state) => {
  isOver = isInbox && !!(error.isGone || error.isSignedOut);
  // The page itself says what happened, unless that would lose a text.
  if (isOver && !(composer && fields(composer).some((it) => it.value))) return location.reload();
  wasSignedOut ||= error.isSignedOut;
  tellTrouble(!isOver ? OFFLINE : error.isGone ? GONE : SIGNED_OUT);
  if (state) state.lastChild.textContent = isOver ? "Stopped" : "Offline, trying again";
  if (!isOver || !error.isGone) return;
  // What was deleted does not stay on the screen.
  document.querySelector(".conv[aria-current]")?.closest("li").remove();
  for (const part of document.querySelectorAll("#thread-name, #facts, #strip, #agent-draft, #messages, #contact [data-live]")) part.replaceChildren();
};

/* The tokens of forms belong to the session. A new session has others. */
const renewTokens = async () => {
  const fresh = page(await load(location.href));
  if (memberOf(fresh) !== member) return location.reload();
  const tokens = new Map([...fresh.forms].map((it) => [it.getAttribute("action"), it.elements.token?.value]));
  for (const form of document.forms) {
    const token = tokens.get(form.getAttribute("action"));
    if (token) form.elements.token.value = token;
  }
  wasSignedOut = false;
};

/* The times of the last renewals. After three at once the open conversation waits. */
const renewals = [0, 0, 0], RENEWALS_WITHIN = 3000;
let renewing = false, again = false;
const renewAll = async () => {
  const parts = [...document.querySelectorAll("[data-live]")];
  if (!parts.length) return;
  if (renewing) { again = true; return; }
  renewals.shift();
  renewals.push(Date.now());
  if (document.hidden) {
    // A page in the background only counts, because nobody looks at its conversation.
    const list = counts && isStreaming && await load(`/inbox${location.search}`).catch(() => null);
    if (list) countUnread(page(list));
    return;
  }
  renewing = true;
  const state = document.querySelector("[data-live-state]");
  const urls = new Set(parts.map((part) => part.dataset.live));
  try {
    for (const url of urls) await renew(url, parts.filter((part) => part.dataset.live === url));
    if (isInbox) countUnread(document);
    if (state) state.lastChild.textContent = "Live";
    if (wasSignedOut) await renewTokens();
    isOver = false;
    tellTrouble();
  } catch (error) {
    tellFailure(error, state);
  }
  renewing = false;
  if (again) { again = false; renewSoon(); }
};

const LIST_EVERY = 2000, BACKGROUND_EVERY = 5000;
let soon, due;
/* With a pause, the next renewal waits if the last one was just before. */
const renewSoon = (pause) => {
  const now = Date.now(), [first, , last] = renewals;
  const next = pause ? now < last + LIST_EVERY && last + pause : first + RENEWALS_WITHIN;
  const at = document.hidden ? now + BACKGROUND_EVERY : Math.max(now + 50, next);
  if (at >= due || (soon && pause === BACKGROUND_EVERY)) return;
  clearTimeout(soon);
  due = at;
  soon = setTimeout(() => { soon = due = undefined; renewAll(); }, at - now);
};

/* Without `changes` anything may have changed. */
const hear = ({ changes }) => {
  const shown = document.querySelector("[data-conversation]")?.dataset.conversation;
  if (changes?.some((it) => it.conversation === shown)) renewSoon();
  else if (!changes || !shown) renewSoon(LIST_EVERY);
  else if (isInbox) renewSoon(BACKGROUND_EVERY);
};

/* One tab of the browser holds the stream and tells the others, because HTTP/1.1 allows six connections. */
const SLOWLY = 10_000;
/* No event says that a colleague types, so a page that others look at is renewed more often. */
const SHARED_EVERY = 3000;
let isStreaming = false;

const stream = (url) => {
  const tabs = new BroadcastChannel("inbox");
  tabs.onmessage = (event) => {
    if (event.data === "ask" && isStreaming === "here") tabs.postMessage("streaming");
    else if (event.data === "streaming") isStreaming ||= "there";
    else if (event.data === "lost") isStreaming = false;
    else hear(event.data);
  };
  tabs.postMessage("ask");
  navigator.locks.request("inbox-stream", () => new Promise((release) => {
    const source = new EventSource(url);
    source.addEventListener("ready", () => { isStreaming = "here"; tabs.postMessage("streaming"); renewSoon(); });
    source.addEventListener("changed", ({ data }) => { tabs.postMessage(JSON.parse(data)); hear(JSON.parse(data)); });
    source.onerror = () => {
      isStreaming = false;
      tabs.postMessage("lost");
      if (source.readyState === EventSource.CLOSED) setTimeout(release, SLOWLY);
    };
  })).then(() => { tabs.close(); stream(url); });
};

if (isInbox) countUnread(document);
if (document.querySelector("[data-live]")) {
  const url = document.querySelector("[data-stream]")?.dataset.stream;
  if (url && "locks" in navigator) stream(url);
  setInterval(() => {
    const every = document.querySelector("[data-soon]") ? 0 : document.querySelector("[data-others]") ? SHARED_EVERY : SLOWLY;
    if (!isStreaming || Date.now() - renewals[2] >= every) renewAll();
  }, 1500);
  document.addEventListener("visibilitychange", () => { if (!document.hidden) renewAll(); });
  for (const change of ["online", "offline"]) addEventListener(change, renewAll);
  composer?.addEventListener("submit", (event) => {
    if (!trouble.isConnected) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    renewAll();
  }, { capture: true });
}
for (const state of document.querySelectorAll("[data-live-state]")) state.hidden = false;

const fields = (form) => [...form.elements].filter((it) => it.name && !/hidden|password|submit/.test(it.type));
const isChoice = (it) => /checkbox|radio/.test(it.type);

for (const form of document.querySelectorAll("form[data-draft]")) {
  // The action of a note also names the list beside it.
  const key = `draft ${member} ${form === composer ? location.pathname : form.getAttribute("action")}`;
  const draft = JSON.parse(sessionStorage.getItem(key) ?? "null");
  const isUntouched = !form.querySelector("[aria-invalid]") && !document.querySelector(".once");
  if (draft && isUntouched && draft.length === fields(form).length) {
    fields(form).forEach((it, place) => {
      if (isChoice(it)) it.checked = draft[place];
      else it.value = draft[place];
    });
  }
  const keep = () => {
    const typed = fields(form).map((it) => (isChoice(it) ? it.checked : it.value));
    sessionStorage.setItem(key, JSON.stringify(typed));
  };
  form.addEventListener("input", keep);
  form.addEventListener("submit", () => {
    form.removeEventListener("input", keep);
    sessionStorage.removeItem(key);
  });
}

/* After a message or a note, the next page's text field has the focus and what was typed. */
if (composer) {
  const field = composer.querySelector("textarea");
  const key = `typed ${member} ${location.pathname}`;
  const typed = sessionStorage.getItem(key);
  sessionStorage.removeItem(key);
  if (field && typed !== null) {
    field.focus();
    field.setRangeText(typed, field.value.length, field.value.length, "end");
    if (typed) field.dispatchEvent(new Event("input", { bubbles: true }));
  }
  composer.addEventListener("submit", () => {
    const sent = field?.value;
    const keep = () => {
      const now = field?.value ?? "";
      sessionStorage.setItem(key, now.startsWith(sent) ? now.slice(sent.length) : now);
    };
    keep();
    // Firefox may hide this page late.
    field?.addEventListener("input", keep);
    addEventListener("pagehide", keep);
  }, { once: true });
}
document.querySelector("form[action='/logout']")?.addEventListener("submit", () => {
  sessionStorage.clear();
  addEventListener("pagehide", () => sessionStorage.clear());
});
