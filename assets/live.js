// Keeps the parts of a page that are marked with data-live up to date: asks for the page again while it is visible, and
// replaces the parts that changed.
(() => {
  "use strict";
  const INTERVAL = 1500;
  const parts = () => [...document.querySelectorAll("[data-live][id]")];
  const state = document.querySelector("[data-live-state]");
  if (state) state.hidden = false;
  let waiting = false;

  async function refresh() {
    if (document.hidden || waiting) return;
    waiting = true;
    try {
      const answer = await fetch(location.href.split("#")[0], { headers: { Accept: "text/html" } });
      if (!answer.ok || answer.redirected) throw new Error(`${answer.status}`);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      for (const part of parts()) {
        const fresh = page.getElementById(part.id);
        if (!fresh || part.contains(document.activeElement)) continue;
        if (withoutTokens(fresh) !== withoutTokens(part)) {
          const grows = part.scrollHeight - part.scrollTop - part.clientHeight < 40;
          part.replaceChildren(...fresh.childNodes);
          if (grows) part.scrollTop = part.scrollHeight;
        }
      }
      if (state) state.lastChild.textContent = "Live";
    } catch {
      if (state) state.lastChild.textContent = "Offline, trying again";
    } finally {
      waiting = false;
    }
  }

  // Every page load has another token in its forms.
  function withoutTokens(part) {
    const copy = part.cloneNode(true);
    for (const field of copy.querySelectorAll("input[name=token]")) field.remove();
    return copy.innerHTML;
  }

  for (const part of parts()) part.scrollTop = part.scrollHeight;
  setInterval(refresh, INTERVAL);
})();
