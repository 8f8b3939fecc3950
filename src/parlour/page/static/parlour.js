// What the page does when there is a script: it takes in what changed, and sends what is pressed without reloading.
"use strict";

const main = document.querySelector("main[data-table]");
const quiet = matchMedia("(prefers-reduced-motion: reduce)");

// What tells an element from its neighbours, so that it is found again when its part of the page is made anew.
const sign = (one) => [one.localName, one.id || one.dataset.act || [one.getAttribute("name"), one.getAttribute("value"), one.getAttribute("href"), one.textContent.trim()]].join();

// Where the focus was put because what had it is gone: a key that was meant for that must not press this.
const MEANT = 400;
let moved = null;

// What has been filled in or picked and not sent yet is kept when its part of the page is made anew.
const FIELDS = "input:not([type=hidden]), select";
const same = (one) => (one.type === "radio" || one.type === "checkbox" ? [one.name, one.value] : [one.id || one.name]).join();
const chosen = (one) => one.localName === "select" ? one.selectedIndex > 0 : one.type === "radio" || one.type === "checkbox" ? one.checked !== one.defaultChecked : one.value !== one.defaultValue;

function refill(region, before) {
  for (const one of region.querySelectorAll(FIELDS)) {
    const was = before.get(same(one));
    if (!was) continue;
    if (one.type === "radio" || one.type === "checkbox") one.checked = was.checked;
    else if (one.localName !== "select" || [...one.options].some((option) => option.value === was.value)) one.value = was.value;
  }
}

const isSeen = (one) => one.getClientRects().length > 0; // what is folded away or not there yet cannot have the focus

// New sentences of the story come before the old ones, of which some are kept.
function tell(news) {
  const list = document.querySelector("#r-story ol");
  list.insertAdjacentHTML("afterbegin", news);
  while (list.children.length > 60) list.lastElementChild.remove();
}

function put(regions, news) {
  if (news) tell(news);
  const focus = document.activeElement;
  const held = main.contains(focus) ? sign(focus) : null;
  const home = held && focus.closest("[id^=r-]");
  const typed = held && focus.matches("input") && focus.type === "text" ? focus.selectionStart : null;
  for (const [name, html] of Object.entries(regions)) {
    const region = document.getElementById("r-" + name);
    const open = new Set([...region.querySelectorAll("details[open]")].map((one) => one.querySelector("summary").textContent));
    const before = new Map([...region.querySelectorAll(FIELDS)].filter(chosen).map((one) => [same(one), one]));
    region.innerHTML = html;
    if (name !== "board" || !sent) refill(region, before);
    for (const one of region.querySelectorAll("details")) if (open.has(one.querySelector("summary").textContent)) one.open = true;
  }
  if (regions.board) sent = false;
  for (const one of main.querySelectorAll("[data-key]")) one.style.viewTransitionName = "";
  const names = new Set();
  for (const one of main.querySelectorAll("#r-board [data-key]")) {
    const name = "k-" + one.dataset.key.replace(/[^A-Za-z0-9]/g, "-");
    if (!names.has(name)) { names.add(name); one.style.viewTransitionName = name; }
  }
  if (held && !document.contains(focus)) {
    const again = [...home.querySelectorAll("button, input, select, summary, a")].find((one) => sign(one) === held && isSeen(one))
      || [...main.querySelectorAll("#r-board button.legal, #r-board .legal input")].find(isSeen) || document.getElementById("r-strip");
    if (again.id === "r-strip") again.tabIndex = -1;
    if (sign(again) !== held) moved = { to: again, at: performance.now() };
    again.focus({ preventScroll: true });
    if (typed !== null && again.matches("input[type=text], input:not([type])")) again.setSelectionRange(typed, typed);
  }
}

// A deal that is over goes on by itself where nobody else is waited for.
let goesOn = 0;
function holdOrGoOn() {
  const button = document.getElementById("go-on-deal");
  clearTimeout(goesOn);
  if (button && !button.disabled && button.dataset.after) goesOn = setTimeout(() => { if (button.isConnected) button.click(); }, +button.dataset.after);
}

function show(regions, news) {
  if (!document.startViewTransition || quiet.matches || document.visibilityState !== "visible") { put(regions, news); return; }
  const moving = document.startViewTransition(() => put(regions, news));
  for (const done of [moving.ready, moving.finished, moving.updateCallbackDone]) done.catch(() => {}); // the next one came too soon
}

function answer(text, clause) {
  const place = document.getElementById("answer");
  place.textContent = text;
  if (clause) {
    const link = document.createElement("a");
    link.href = document.getElementById("help").href + "#" + clause;
    link.textContent = "The rule";
    link.target = "_blank";
    place.append(" ", link);
  }
}

let socket = null;
let sent = false; // what has been sent is picked no more
let waiting = null; // what was pressed, and nothing has come back about it yet
const LOST = "Connection lost. Trying again.";

// Something has come: if it is from a new connection and the moment is still the same, what was pressed had got lost.
function settle(change) {
  const last = waiting;
  waiting = null;
  if (!last || last.over === socket || change.refused) return;
  const board = change.regions?.board ?? document.getElementById("r-board").innerHTML;
  const same = board.includes(`name="moment" value="${last.moment}"`);
  if (same) press(last.text, last.moment);
  if (last.over === null) answer(same ? "" : "Somebody has moved since. Check the table, then try again.");
}

function press(text, moment) {
  sent = true;
  waiting = { text, moment, over: socket };
  socket.send(text);
}

async function send(form, button) {
  const data = new FormData(form, button);
  answer("");
  if (form.id === "play") waiting = null; // what is pressed now counts
  if (form.id === "play" && socket.readyState === WebSocket.OPEN) { // the quick way
    press(new URLSearchParams(data).toString(), data.get("moment"));
    return;
  }
  try {
    const got = await fetch(form.getAttribute("action"), { method: "POST", body: new URLSearchParams(data), headers: { "X-Parlour": "1" } });
    if (got.status === 204) { if (form.id === "play") form.reset(); if (form.matches(".chat")) main.querySelector(".chat").reset(); return; }
    if (got.redirected) { location = got.url; return; }
    if (got.status >= 500) { answer("Something went wrong on the server. Nothing has changed."); return; }
    const said = await got.json();
    if (said.regions) { show(said.regions); document.getElementById("say").textContent = said.say; }
    else if (said.advice) answer(said.advice);
    else answer(said.sentence, said.clause);
  } catch {
    if (form.id === "play") {
      const text = new URLSearchParams(data).toString(), moment = data.get("moment");
      if (socket.readyState === WebSocket.OPEN) { press(text, moment); return; } // it is back already
      waiting = { text, moment, over: null };
    }
    answer(form.id === "play" ? "Can't reach the server. Your move will be made when it is back." : "Can't reach the server.");
  }
}

// numbers for the deal: pledged first, told when all pledges are in (docs/fair_deal.md)
const hex = (bytes) => [...new Uint8Array(bytes)].map((b) => b.toString(16).padStart(2, "0")).join("");
const canMix = Boolean(globalThis.crypto && crypto.subtle);
let nonce = null;
let promised = ""; // the commitment of the match for which there is one

async function mix(stage, commitment) {
  const id = () => "m" + hex(crypto.getRandomValues(new Uint8Array(8)));
  if (stage === "pledge") {
    if (!nonce || promised !== commitment) nonce = crypto.getRandomValues(new Uint8Array(32));
    promised = commitment;
    const text = new TextEncoder().encode("parlour fair deal 1: pledge");
    const bytes = Uint8Array.from(commitment.match(/../g), (two) => parseInt(two, 16));
    const digest = await crypto.subtle.digest("SHA-256", new Uint8Array([...text, ...bytes, ...nonce]));
    socket.send(JSON.stringify({ do: "pledge", id: id(), pledge: hex(digest) }));
  } else if (stage === "nonce" && nonce) {
    socket.send(JSON.stringify({ do: "nonce", id: id(), nonce: hex(nonce) }));
    nonce = null;
  }
}

// A server that stands still ends no connection.  Where another could take its place, the page asks whether it is there.
const LOOK = 600;
const QUIET = 1200;
const LONGEST = 20000;
let patience = QUIET;
let looking = 0;

function watch(line) {
  const since = performance.now();
  let heard = since, asked = since;
  clearInterval(looking);
  looking = setInterval(() => {
    const now = performance.now();
    const open = line.readyState === WebSocket.OPEN;
    if (asked && now - asked > (open ? patience : 2 * patience)) {
      patience = now - since > LONGEST ? QUIET : Math.min(2 * patience, LONGEST); // again so soon: the network is slow
      listen();
    } else if (open && !asked && now - heard > LOOK) { line.send(""); asked = now; }
  }, 250);
  line.addEventListener("message", () => { heard = performance.now(); asked = 0; });
  line.addEventListener("close", () => { if (line === socket) clearInterval(looking); });
}

let pause = 500;
let calling = 0;
function listen() {
  clearTimeout(calling);
  socket?.close();
  const wishes = new URLSearchParams({ at: main.dataset.moment });
  if (canMix) wishes.set("mix", "1");
  main.dataset.moment = ""; // later it shows another one
  const line = socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/t/${main.dataset.table}/live?${wishes}`);
  let greeted = false;
  if (main.dataset.several) watch(line);
  line.onmessage = (event) => {
    if (line !== socket || event.data === "{}") return; // it is there, and has nothing to say
    pause = 500;
    const first = !greeted;
    if (first) { greeted = true; if (document.getElementById("answer").textContent === LOST) answer(""); }
    const change = JSON.parse(event.data);
    if (change.refused || change.regions?.board || (first && change.regions && waiting?.over === null)) settle(change);
    if (change.regions) show(change.regions, change.news);
    if (change.regions?.held !== undefined || first) holdOrGoOn();
    if (change.refused) { sent = false; answer(change.refused.sentence, change.refused.clause); }
    if (change.say) document.getElementById("say").textContent = change.say;
    if (change.asked !== undefined) document.title = (change.asked ? "● " : "") + document.title.replace(/^● /, "");
    if (change.mixing && canMix) mix(change.mixing.stage, change.mixing.commitment);
  };
  line.onclose = (event) => {
    if (line !== socket) return;
    if (event.code === 4404) { answer("This table no longer exists."); return; }
    calling = setTimeout(listen, pause);
    pause = Math.min(pause * 2, 10000);
    if (pause > 1500 && !waiting) answer(LOST);
  };
}

if (main) {
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.matches("#play, .aid, .guide, .chat, .inline")) { event.preventDefault(); send(form, event.submitter); }
  });
  document.addEventListener("keydown", (event) => {
    if (event.target.matches("input:not([type=radio], [type=checkbox]), select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "?") { const rules = document.querySelector("#now-rules"); rules.open = !rules.open; if (rules.open) rules.querySelector("summary").focus(); }
  });
  document.addEventListener("keydown", (event) => {
    if (!["Enter", " "].includes(event.key)) { moved = null; return; } // whoever goes on from there has seen it
    if (!moved || event.target !== moved.to || performance.now() - moved.at > MEANT) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    answer("The table has just changed. Check it, then try again.");
  });
  // a network that is gone ends no connection, so that it would be found out only when somebody has waited for long
  addEventListener("offline", () => { answer(LOST); socket.close(); });
  addEventListener("online", () => { pause = 500; listen(); });
  listen();
}
