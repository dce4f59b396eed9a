// Lays out the whole API reference at once if its URL has a fragment. It runs before the page is
// shown: the target of a fragment is known only when the page has been read, and the sections above
// it must not change their height then.
"use strict";
document.documentElement.classList.toggle("whole", window.location.hash.length > 1);
