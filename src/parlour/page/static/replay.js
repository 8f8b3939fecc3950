// Steps of a game seen again: links that swap in the next step instead of loading anew, and keys for them.
"use strict";

const EACH = { slow: 2400, normal: 1200, quick: 500, off: 500 }; // milliseconds for which each step is shown
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
    if (playing) label();
    if (again && (again.href || again.type)) again.focus({ preventScroll: true });
    else { const steps = document.querySelector(".steps"); steps.tabIndex = -1; steps.focus({ preventScroll: true }); }
  } catch { location = address; }
}

let playing = 0; // the timer of the next step, while the replay goes on by itself
const label = () => { document.getElementById("play-pause").textContent = playing ? "Pause" : "Play"; };

function pause() {
  clearTimeout(playing);
  playing = 0;
  label();
}

function play() {
  const next = document.getElementById("go-on"), button = document.getElementById("play-pause");
  if (!next?.href) { pause(); return; }
  playing = setTimeout(async () => { await go(next.href, document.activeElement?.id); if (playing) play(); }, EACH[button.dataset.speed]);
  label();
}

const toggle = () => {
  if (playing) { pause(); return; }
  const next = document.getElementById("go-on"), first = document.getElementById("go-first");
  if (next?.href) play();
  else if (first?.href) go(first.href, "play-pause").then(play); // from the end it begins again
};

document.addEventListener("change", (event) => {
  if (event.target.id !== "go-to") return;
  const { here, seat } = event.target.dataset;
  go(`${here}?step=${event.target.value}&seat=${seat}`, "go-to");
});
document.addEventListener("click", (event) => {
  if (event.target.id === "play-pause") { toggle(); return; }
  const link = event.target.closest("a.go");
  if (playing && link) pause();
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  go(link.href, link.id);
});
document.addEventListener("keydown", (event) => {
  const slides = event.target.id === "go-to" && event.key !== " "; // it has keys of its own
  if (slides || event.target.matches("input:not(#go-to), select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === " " && !event.target.matches("button, a, summary")) { event.preventDefault(); toggle(); return; }
  const link = document.getElementById(KEYS[event.key]);
  if (!link) return;
  if (playing) pause();
  event.preventDefault();
  if (link.href) go(link.href, link.id);
});
