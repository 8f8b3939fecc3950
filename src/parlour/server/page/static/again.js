// Looks every ten seconds whether a page says something new, and shows it if the reader is not typing or choosing.
"use strict";
setInterval(async () => {
  if (document.hidden) return;
  const main = document.querySelector("main");
  let text;
  try {
    const answer = await fetch(location.href);
    if (!answer.ok) return;
    text = await answer.text();
  } catch { return; }
  const now = new DOMParser().parseFromString(text, "text/html").querySelector("main");
  const kept = (one) => { const copy = one.cloneNode(true); for (const each of copy.querySelectorAll("details")) each.open = false; return copy.innerHTML; };
  if (!now || kept(now) === kept(main) || main.contains(document.activeElement)) return;
  const open = [...main.querySelectorAll("details")].map((one) => one.open);
  main.innerHTML = now.innerHTML;
  main.querySelectorAll("details").forEach((one, n) => { one.open = Boolean(open[n]); });
}, 10000);
