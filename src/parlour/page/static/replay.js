// Steps of a game seen again: links that swap in the next step instead of loading anew, and keys for them.
"use strict";

const KEYS = { ArrowLeft: "go-back", ArrowRight: "go-on", Home: "go-first", End: "go-last" };
let coming = null;

async function go(address, focus) {
  const mine = (coming = {});
  try {
    const text = await (await fetch(address)).text();
    if (mine !== coming) return;
    const there = new DOMParser().parseFromString(text, "text/html");
    const next = there.querySelector("main[data-replay]");
    if (!next) { location = address; return; }
    document.querySelector("main[data-replay]").replaceWith(next);
    document.title = there.title;
    history.replaceState(null, "", address);
    document.getElementById("say").textContent = [...next.querySelectorAll(".news li")].map((one) => one.textContent.trim()).join(" ");
    const again = focus && document.getElementById(focus);
    if (again && again.href) again.focus({ preventScroll: true });
    else { const steps = document.querySelector(".steps"); steps.tabIndex = -1; steps.focus({ preventScroll: true }); }
  } catch { location = address; }
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a.go");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  go(link.href, link.id);
});
document.addEventListener("keydown", (event) => {
  if (event.target.matches("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
  const link = document.getElementById(KEYS[event.key]);
  if (!link) return;
  event.preventDefault();
  if (link.href) go(link.href, link.id);
});
