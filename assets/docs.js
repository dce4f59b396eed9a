// Adds tabs for languages, copy buttons, search and the current position to the API reference.
"use strict";
(() => {
  const sections = [...document.querySelectorAll("main .part")];
  const find = document.getElementById("find");
  const contents = document.getElementById("contents");
  const found = document.getElementById("found");
  const details = document.querySelector(".contents details");
  const narrow = window.matchMedia("(max-width: 60rem)");
  const fold = () => { details.open = !narrow.matches; };
  if (!narrow.matches) fold();
  narrow.addEventListener("change", fold);

  const button = (text, of) => {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = text;
    if (of) made.className = of;
    return made;
  };
  const copying = (read) => {
    const copy = button("Copy", "copy");
    window.copyFrom(copy, read);
    return copy;
  };
  const code = (figure) => figure.querySelector("code");

  const remembered = "switchboard-docs-language";
  const recall = () => { try { return window.localStorage.getItem(remembered); } catch { return null; } };
  const groups = [];
  for (const group of document.querySelectorAll(".code-group")) {
    const figures = [...group.querySelectorAll("figure.code")];
    if (!("tabs" in group.dataset)) {
      for (const figure of figures) figure.querySelector("figcaption").append(copying(() => code(figure)));
      continue;
    }
    const bar = document.createElement("div");
    bar.className = "tabs";
    const languages = document.createElement("div");
    languages.setAttribute("role", "tablist");
    languages.setAttribute("aria-label", "Language");
    bar.append(languages);
    const tabs = figures.map((figure) => {
      const tab = button(figure.querySelector("figcaption").textContent);
      tab.setAttribute("role", "tab");
      languages.append(tab);
      return tab;
    });
    const show = (language) => {
      const wanted = Math.max(tabs.findIndex((tab) => tab.textContent === language), 0);
      tabs.forEach((tab, index) => {
        tab.setAttribute("aria-selected", String(index === wanted));
        tab.tabIndex = index === wanted ? 0 : -1;
        figures[index].hidden = index !== wanted;
      });
    };
    const choose = (tab) => {
      const before = tab.getBoundingClientRect().top;
      for (const other of groups) other(tab.textContent);
      window.scrollBy({ top: tab.getBoundingClientRect().top - before, behavior: "instant" });
      try { window.localStorage.setItem(remembered, tab.textContent); } catch { /* The choice is not stored. */ }
    };
    tabs.forEach((tab, index) => {
      tab.addEventListener("click", () => choose(tab));
      tab.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!step) return;
        const next = tabs[(index + step + tabs.length) % tabs.length];
        choose(next);
        next.focus();
      });
    });
    bar.append(copying(() => code(figures.find((figure) => !figure.hidden))));
    group.prepend(bar);
    group.classList.add("ready");
    groups.push(show);
    show(recall());
  }

  // Colors JSON: keys, strings, and numbers with literals. A figure is colored when it is near the
  // viewport, because coloring all figures at once would create thousands of elements. A figure in a
  // section that is not laid out yet does not intersect, and is colored once the section is laid out.
  const token = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null|-?\d+(?:\.\d+)?)\b/g;
  const color = (target) => {
    const text = target.textContent;
    target.textContent = "";
    let end = 0;
    const add = (piece, of) => {
      const span = document.createElement("span");
      span.className = of;
      span.textContent = piece;
      target.append(span);
    };
    for (const match of text.matchAll(token)) {
      target.append(text.slice(end, match.index));
      if (match[1]) add(match[1], match[2] ? "k" : "s"); else add(match[3], "n");
      if (match[2]) target.append(match[2]);
      end = match.index + match[0].length;
    }
    target.append(text.slice(end));
  };
  const near = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      color(target.querySelector("code"));
    }
  }, { rootMargin: "800px 0px" });
  for (const figure of document.querySelectorAll('figure.code[data-language="json"]')) near.observe(figure);

  // The search index contains the text of this page without code and buttons, and the method and
  // path of each endpoint.
  const prose = (block) => {
    if (block.matches(".code-group, .route")) return "";
    const cells = [...block.querySelectorAll("th, td")];
    return cells.length ? cells.map((cell) => cell.textContent).join(" ") : block.textContent;
  };
  const entryOf = (id, title, text, method, path) => {
    const low = `${title} ${method} ${path} ${text}`.toLowerCase();
    return { id, title, text, method: method.toLowerCase(), path: path.toLowerCase(), low, of: title.toLowerCase() };
  };
  const index = sections.map((section) => {
    const title = section.querySelector("h2, h3").firstChild.textContent;
    const text = [...section.querySelectorAll(".words > *")].map(prose).join(" ").replace(/\s+/g, " ").trim();
    const route = section.querySelector(".route");
    const method = route ? route.querySelector(".method").textContent : "";
    const path = route ? route.querySelector("code").textContent : "";
    return entryOf(section.id, title, route ? `${method} ${path} · ${text}` : text, method, path);
  });
  // Each error code has an entry of its own in the index, which leads to its explanation.
  for (const row of document.querySelectorAll("#errors tbody tr, #exchange-a-code tbody tr")) {
    const [status, code, when] = row.cells;
    if (!when || !/^\d{3}$/.test(status.textContent)) continue;
    const id = `error-${code.textContent}`;
    if (document.getElementById(id)) continue;
    row.id = id;
    index.push(entryOf(id, code.textContent, `${status.textContent} · ${when.textContent}`, "", ""));
  }
  const marked = (text, word) => {
    const line = document.createElement("span");
    const at = text.toLowerCase().indexOf(word);
    if (at < 0) { line.textContent = text.slice(0, 90); return line; }
    const from = Math.max(at - 30, 0);
    const mark = document.createElement("mark");
    mark.textContent = text.slice(at, at + word.length);
    line.append((from ? "…" : "") + text.slice(from, at), mark, text.slice(at + word.length, at + word.length + 60));
    return line;
  };
  // The order of results: an exact title, then endpoints, then other headings, then text that
  // mentions the word.
  const worth = (entry, word) => {
    if (word.includes("/") && entry.path.includes(word)) return entry.path.endsWith(word) ? 300 : 150;
    if (word === entry.method) return 50;
    const named = entry.of.split(/[^\p{L}\p{N}_]+/u).some((part) => part.startsWith(word)) ? 10 : entry.of.includes(word) ? 5 : 0;
    if (named || entry.path.includes(word)) return (entry.method ? 40 : 0) + named;
    return 1;
  };
  // Of a full URL only the path is searched.
  const path = (word) => word.replace(/^https?:\/\/[^/]*/, "").replace(/[?#].*$/, "") || word;
  const search = () => {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean).map(path);
    found.hidden = words.length === 0;
    contents.hidden = words.length > 0;
    found.textContent = "";
    if (!words.length) return;
    if (narrow.matches) details.open = true;
    const query = words.join(" ");
    const hits = index.filter((entry) => words.every((word) => entry.low.includes(word)));
    const score = (entry) => words.reduce((sum, word) => sum + worth(entry, word), entry.of === query ? 1000 : 0);
    hits.sort((one, other) => score(other) - score(one));
    for (const hit of hits.slice(0, 30)) {
      const entry = document.createElement("li");
      const link = document.createElement("a");
      const where = document.createElement("span");
      link.href = `#${hit.id}`;
      link.append(marked(hit.title, words[0]));
      where.className = "where";
      where.append(marked(hit.text, words[0]));
      link.append(where);
      entry.append(link);
      found.append(entry);
    }
    if (!hits.length) {
      const none = document.createElement("li");
      none.className = "soft";
      none.textContent = `No results for “${find.value.trim()}”.`;
      found.append(none);
    }
  };
  document.querySelector(".find").hidden = false;
  find.addEventListener("input", search);
  find.addEventListener("keydown", (event) => {
    const first = found.querySelector("a");
    if (event.key === "Enter" && first) first.click();
    if (event.key === "ArrowDown" && first) { event.preventDefault(); first.focus(); }
    if (event.key === "Escape") { find.value = ""; search(); find.blur(); }
  });
  found.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const all = [...found.querySelectorAll("a")];
    (all[all.indexOf(document.activeElement) + step] ?? find).focus();
  });
  found.addEventListener("click", () => { if (narrow.matches) details.open = false; });
  contents.addEventListener("click", () => { if (narrow.matches) details.open = false; });
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, textarea, select, [contenteditable]");
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    find.focus();
    find.select();
  });

  // The tabs have moved the target of the URL's fragment. All sections are laid out: see fragment.js.
  const anchor = window.location.hash.slice(1);
  const target = anchor && document.getElementById(anchor);
  if (target) target.scrollIntoView();

  // Marks the current part in the contents.
  const links = new Map([...contents.querySelectorAll("a")].map((link) => [link.hash.slice(1), link]));
  const seen = new Set();
  let current;
  const watch = new IntersectionObserver((entries) => {
    for (const entry of entries) entry.isIntersecting ? seen.add(entry.target) : seen.delete(entry.target);
    const top = sections.find((section) => seen.has(section));
    const link = top && links.get(top.id);
    if (!link || link === current) return;
    if (current) current.removeAttribute("aria-current");
    link.setAttribute("aria-current", "true");
    if (!narrow.matches) link.scrollIntoView({ block: "nearest", behavior: "instant" });
    current = link;
  }, { rootMargin: "-110px 0px -55% 0px" });
  for (const section of sections) watch.observe(section);
})();
