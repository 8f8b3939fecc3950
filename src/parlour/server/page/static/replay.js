// The steps of a replay: links that swap in the next step instead of loading a page, and keys for them.
"use strict";

// A sentence in the reader's language; the page brings the words.
const spoken = JSON.parse(document.body.dataset.words || "{}");
const t = (text) => spoken[text] || text;

const EACH = { slow: 2400, normal: 1200, quick: 500, off: 500 }; // milliseconds that each step is shown
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
    lookBack();
    history.replaceState(null, "", address);
    document.getElementById("say").textContent = [...next.querySelectorAll(".news li")].map((one) => one.textContent.trim()).join(" ");
    const again = focus && document.getElementById(focus);
    if (playing) label();
    if (again && (again.href || again.type)) again.focus({ preventScroll: true });
    else document.querySelector(".steps").focus({ preventScroll: true });
  } catch { location = address; }
}

// What the strongest bot thinks of the reader's choices comes while they look at the replay.
let waits = false;
async function lookBack() {
  const place = document.querySelector("[data-review]");
  if (!place || waits) return;
  waits = true;
  try {
    const got = await fetch(place.dataset.review), html = got.status === 200 && await got.text();
    const here = document.querySelector("[data-review]"); // another step may be shown by now
    waits = false;
    if (!html || !here) return;
    here.outerHTML = html;
    if (document.querySelector("[data-review]")) lookBack();
    else document.getElementById("say").textContent = document.getElementById("review").querySelector("h2, p").textContent;
  } catch { waits = false; }
}
lookBack();

let playing = 0; // the timer of the next step, while the replay goes on by itself
const label = () => { document.getElementById("play-pause").textContent = playing ? t("Pause") : t("Play"); };

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
  else if (first?.href) go(first.href, "play-pause").then(play); // from the end, it begins again
};

document.addEventListener("change", (event) => {
  if (event.target.id !== "go-to") return;
  const { here, seat } = event.target.dataset;
  go(`${here}?step=${event.target.value}&seat=${seat}`, "go-to");
});
async function share(button) {
  const said = { title: "Parlour", text: button.dataset.share, url: button.dataset.link };
  try {
    if (navigator.share) await navigator.share(said);
    else { await navigator.clipboard.writeText(said.url); button.textContent = t("Copied"); }
  } catch { /* the reader thought better of it */ }
}

document.addEventListener("click", (event) => {
  if (event.target.id === "share-moment") { share(event.target); return; }
  if (event.target.id === "play-pause") { toggle(); return; }
  const link = event.target.closest("a.go");
  if (playing && link) pause();
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  go(link.href, link.id);
});
document.addEventListener("keydown", (event) => {
  const slides = event.target.id === "go-to" && event.key !== " "; // a slider has keys of its own
  if (slides || event.target.matches("input:not(#go-to), select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === " " && !event.target.matches("button, summary")) { event.preventDefault(); toggle(); return; }
  const link = document.getElementById(KEYS[event.key]);
  if (!link) return;
  if (playing) pause();
  event.preventDefault();
  if (link.href) go(link.href, link.id);
});
