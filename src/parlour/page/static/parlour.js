// What the page does when there is a script: it takes in what changed, and sends what is pressed without reloading.
"use strict";

const main = document.querySelector("main[data-table]");
const quiet = matchMedia("(prefers-reduced-motion: reduce)");

// What is said, in the reader's language: the page brings the words.
const spoken = JSON.parse(document.body.dataset.words || "{}");
const t = (text) => spoken[text] || text;

// What tells an element from its neighbours, so that it is found again when its part of the page is made anew.
const sign = (one) => [one.localName, one.id || (one.name === "action" && one.value) || [one.getAttribute("name"), one.getAttribute("value"), one.getAttribute("href"), one.textContent.trim()]].join();

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

for (const one of document.querySelectorAll(".unfolded")) { one.popover = "auto"; one.classList.remove("unfolded"); one.showPopover(); } // an address for readers without script
const isSeen = (one) => !one.disabled && one.getClientRects().length > 0; // only that can have the focus

// New sentences of the story come before the old ones, of which some are kept.
function tell(news) {
  const list = document.querySelector("#r-story ol");
  list.insertAdjacentHTML("afterbegin", news);
  while (list.children.length > 30) list.lastElementChild.remove();
}

// Remarks that have come while nobody looked at them are counted at the button that leads to them.
let counted = null;
function countRemarks() {
  const drawer = document.getElementById("people-drawer"), badge = document.getElementById("unread");
  const now = [...drawer.querySelectorAll(".remarks li:not(.notice)")].map((one) => one.textContent);
  if (counted && badge && !drawer.matches(":popover-open")) badge.textContent = +badge.textContent + now.length - Math.max(0, now.lastIndexOf(counted.at(-1)) + 1) || "";
  counted = now;
}

// What scrolls, because there is more of it than fits, can be reached by keys; what does not scroll is no stop on the way.
function reachable() {
  const all = [...document.querySelectorAll(".others, .aside, .stage > *, .acts, .extra")];
  const scroll = all.map((one) => one.scrollHeight > one.clientHeight + 1 && getComputedStyle(one).overflowY === "auto");
  all.forEach((one, i) => one.toggleAttribute("tabindex", scroll[i]) && (one.tabIndex = 0));
}

// On a phone, what the guide says lies as low as it can, above the buttons and your own cards.  If it covers a part of
// the table there, and could lie higher up and cover nothing, it lies there.
const PARTS = ".top, .rail, #r-board > :not(.rail, .acts) :is(.card, .seat, .pot, button, input, select, svg, li, td, p, h2, h3)";
const placesOf = (parts) => [...document.querySelectorAll(parts)].map((one) => one.getBoundingClientRect()).filter((box) => box.width > 1 && box.height > 1);
function makeRoom() {
  const idea = document.querySelector(".strip .idea:not(.lesson)");
  if (!idea) return;
  idea.style.bottom = "";
  if (innerWidth > innerHeight) return;
  const height = idea.offsetHeight + 4, parts = placesOf(PARTS), buttons = placesOf(".acts :is(button, input, select)").length;
  const lowest = Math.min(...placesOf(buttons ? ".rail, .acts :is(button, input, select, label, p)" : ".rail").map((box) => box.top), innerHeight);
  const covers = (low) => parts.some((box) => box.top < low - 3 && box.bottom > low - height + 3);
  let low = lowest;
  while (low > height && covers(low)) low -= 2;
  idea.style.bottom = `${innerHeight - (low > height ? low : lowest) + 2}px`;
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
  if (regions.people) countRemarks();
  if (regions.board && !queue.length) reachable();
  makeRoom();
  if (regions.board) sent = false;
  if (regions.held !== undefined) { holdOrGoOn(); if (late && !document.getElementById("go-on-deal")) { late = false; answer(""); } }
  if (regions.end) { dressEnd(); lookBack(); }
  if (held && !document.contains(focus)) {
    const again = [...home.querySelectorAll("button, input, select, summary, a")].find((one) => sign(one) === held && isSeen(one))
      || [...main.querySelectorAll("#r-board button.legal, #r-board .legal input")].find(isSeen) || document.getElementById("r-strip");
    if (again.id === "r-strip") again.tabIndex = -1;
    if (sign(again) !== held) moved = { to: again, at: performance.now() };
    again.focus({ preventScroll: true });
    if (typed !== null && again.matches("input[type=text], input:not([type])")) again.setSelectionRange(typed, typed);
  }
}

// The styles of the end are loaded when it comes; it is not seen before.
function dressEnd() {
  if (!main.dataset.end) return;
  document.querySelector("link[rel=stylesheet]").after(Object.assign(document.createElement("link"), { rel: "stylesheet", href: main.dataset.end }));
  delete main.dataset.end;
}

// What the search player thinks of one's own choices comes a little after the end.
async function lookBack() {
  const place = document.querySelector("#r-end [data-moments]");
  try {
    const got = place && await fetch(place.dataset.moments);
    if (got?.status !== 200) return;
    const html = await got.text(), here = document.querySelector("#r-end [data-moments]");
    if (!here) return;
    here.innerHTML = html;
    delete here.dataset.moments;
    document.getElementById("say").textContent = [...here.querySelectorAll("li")].map((one) => one.textContent).join(" ");
  } catch { /* without it the end is whole */ }
}
lookBack();

// A deal that is over goes on by itself where nobody else is waited for.
let goesOn = 0;
let late = false; // the server has refused to go on; no wonder if the table has gone on by itself meanwhile
function holdOrGoOn() {
  const button = document.getElementById("go-on-deal");
  clearTimeout(goesOn);
  if (button && !button.disabled && button.dataset.after) goesOn = setTimeout(() => { if (button.isConnected && !playing) button.click(); }, +button.dataset.after);
}

// ---- what happens is shown one event after another; what moves is what moved, and nothing else

const PACE = { slow: 1.7, normal: 1, quick: 0.5, off: 0 }[main?.dataset.speed] ?? 1;
const still = () => quiet.matches || !PACE || document.visibilityState !== "visible";
const MS = { say: 350, card: 520, coins: 650 };
const BEHIND = 3000; // what is shown is never further behind what is so
const AIM = 2700; // and meant to be less, since no browser is always on time
const FRAME = 17; // what is shown for less is not seen
const SEEN = 350; // what moves is shown for so long, if that leaves a frame for each word
const costs = { draw: 30, say: 2 }; // what a step takes besides, to be drawn or said: more on a slow machine
const queue = []; // beats of what has come, and at its end what is so now
let skipped = null; // ends the beat that is shown
let lastShown = null; // for whoever measures: how long ago what is shown has come

const boxes = () => new Map([...document.querySelectorAll("#r-board [data-key]")].map((one) => [one.dataset.key, one.getBoundingClientRect()]));
const downs = () => [...document.querySelectorAll("#r-board .card.down")].map((one) => one.getBoundingClientRect());
const sums = () => [...document.querySelectorAll("#r-board [data-n]")];
const plate = (seat) => document.querySelector(`#r-board [data-seat="${seat}"]`)?.getBoundingClientRect();
const near = (a, b) => Math.abs(a.left - b.left) < a.width && Math.abs(a.top - b.top) < a.height * 0.7;

function fly(one, from, to, ms) {
  if (!to.width || !from.width) return;
  const air = one.cloneNode(true), x = from.left - to.left, y = from.top - to.top, grow = from.width / to.width;
  air.className = "card air";
  air.removeAttribute("id"); delete air.dataset.key; air.removeAttribute("name");
  Object.assign(air.style, { left: to.left + "px", top: to.top + "px", width: to.width + "px" });
  document.body.append(air);
  one.style.visibility = "hidden";
  const lift = Math.min(46, 8 + Math.hypot(x, y) / 12);
  const flight = air.animate([
    { transform: `translate(${x}px, ${y}px) scale(${grow})`, transformOrigin: "0 0" },
    { transform: `translate(${x / 2}px, ${y / 2 - lift}px) scale(${(1 + grow) / 2 * 1.06}) rotate(${Math.sign(x) * -3}deg)`, transformOrigin: "0 0" },
    { transform: "none", transformOrigin: "0 0" },
  ], { duration: ms, easing: "cubic-bezier(.3,.1,.15,1)" });
  flight.onfinish = flight.oncancel = () => { air.remove(); one.style.visibility = ""; };
}

function turn(one, ms) {
  one.animate([{ transform: "translateY(-8px) rotateY(90deg)" }, { transform: "translateY(-8px) rotateY(0)", offset: 0.8 }, { transform: "none" }], { duration: ms, easing: "cubic-bezier(.3,.1,.15,1)" });
}

// Coins go from those who have fewer now to those who have more.
function pay(before, ms) {
  const now = sums();
  if (now.length !== before.length) return false;
  const less = [], more = [];
  now.forEach((one, i) => {
    const change = one.dataset.n - before[i].n;
    if (change && one.checkVisibility()) (change > 0 ? more : less).push({ one, change, box: one.getBoundingClientRect() });
  });
  for (const { change, box } of [...less, ...more]) {
    const sum = document.createElement("span");
    sum.className = "air sum";
    sum.textContent = change > 0 ? "+" + change : "\u2212" + -change;
    Object.assign(sum.style, { left: box.left + "px", top: box.top - 18 + "px" });
    document.body.append(sum);
    sum.animate([{ transform: "none", opacity: 1 }, { transform: "translateY(-14px)", opacity: 0 }], { duration: ms * 1.5, easing: "ease-out" }).onfinish = () => sum.remove();
  }
  for (const from of less) for (const to of more) {
    const n = Math.min(9, -from.change, to.change);
    for (let i = 0; i < n; i++) {
      const coin = document.createElement("span");
      coin.className = "air coin";
      Object.assign(coin.style, { left: to.box.left + "px", top: to.box.top + "px" });
      document.body.append(coin);
      const x = from.box.left - to.box.left, y = from.box.top - to.box.top;
      coin.animate([{ transform: `translate(${x}px, ${y}px)` }, { transform: `translate(${x / 2}px, ${y / 2 - 24 - 3 * i}px)` }, { transform: "none" }],
        { duration: ms * 0.75, delay: i * ms * 0.03, fill: "backwards", easing: "cubic-bezier(.35,0,.3,1)" }).onfinish = () => coin.remove();
    }
  }
  return less.length + more.length > 0;
}

// Put something in, and let what it moves be seen to move; how long that takes.
function move(change, who, ms) {
  if (still()) { change(); return MS.say; }
  const was = boxes(), hidden = downs(), had = sums().map((one) => ({ n: +one.dataset.n })), home = plate(who);
  change();
  let kind = "say";
  // all places are read first: each that is read after something was written would be worked out anew
  for (const [one, to] of [...document.querySelectorAll("#r-board [data-key]")].map((one) => [one, one.getBoundingClientRect()])) {
    const from = was.get(one.dataset.key);
    if (!to.width) continue;
    if (from) {
      if (Math.hypot(from.left - to.left, from.top - to.top) > 3) { fly(one, from, to, ms(MS.card)); kind = "card"; }
    } else if (was.size) {
      kind = "card";
      if (hidden.some((box) => near(box, to))) turn(one, ms(MS.card));
      else if (home) fly(one, home, to, ms(MS.card));
    }
  }
  return pay(had, ms(MS.coins)) ? MS.coins : MS[kind];
}

function light(beat) {
  for (const one of document.querySelectorAll("#r-board .acting, #r-board .just")) one.classList.remove("acting", "just");
  if (!beat) return;
  document.querySelector(`#r-board [data-seat="${beat.who}"]`)?.classList.add("acting");
  for (const card of beat.cards) document.querySelector(`#r-board [data-key="${CSS.escape(card)}"]`)?.classList.add("just");
}

function wait(ms) {
  return new Promise((done) => { const timer = setTimeout(done, ms); skipped = () => { clearTimeout(timer); done(); }; });
}

// The first of what waits: how long it may move (ms, by kind) or is said, and whether there is time to draw it at all, so
// that each telling is there in time.  What is only said becomes shorter first, to a quarter; then what moves, what takes
// long first, but while words can give way none is shown for less than SEEN; then some moves are only said; and if there
// is no time even for that, what is left comes at once.
function plan(waiting, now, { draw, say }) {
  const moves = (one) => Boolean((one.beat ?? one.regions)?.board);
  let toDraw = 0, toSay = 0, part = [1, 1], least = FRAME, draws = true;
  const lengthy = [MS.coins * PACE - FRAME, MS.say * PACE - FRAME], seen = (SEEN * PACE - FRAME) / lengthy[0];
  waiting.forEach((one, i) => {
    if (i && !one.beat) {
      const time = one.came + AIM - now - draw - (toDraw + toSay) * FRAME, left = time - toDraw * draw - toSay * say;
      const [long, short] = [toDraw * lengthy[0], toSay * lengthy[1]];
      const room = Math.max(0, left);
      part[0] = Math.min(part[0], Math.max(room / (long + short / 4 || 1), Math.min(seen, room / (long || 1))));
      part[1] = Math.min(part[1], Math.max(0, left - long * part[0]) / (short || 1));
      const some = Math.max(0, (time - (toDraw + toSay) * say) / Math.max(1, draw - say)); // that can be drawn
      if (some < toDraw) draws &&= Math.floor(some) > Math.floor(some - some / toDraw);
      least = Math.max(0, Math.min(least, FRAME + (time - (toDraw + toSay) * say) / (toDraw + toSay)));
    }
    if (moves(one)) toDraw++; else toSay++;
  });
  const length = (kind, most, part) => least + Math.min(kind * PACE - FRAME, most * part);
  return { draws, moves: (kind) => length(kind, lengthy[0], part[0]), says: length(MS.say, lengthy[1], part[1]) };
}

async function play(one) {
  const { beat } = one, { draws, moves, says } = plan([one, ...queue], performance.now(), costs);
  const began = performance.now(), now = { ...(beat.strip && { strip: beat.strip }), ...(draws && beat.board && { board: beat.board }) };
  let length = says;
  document.getElementById("now-told").textContent = beat.say;
  if (now.board) length = moves(move(() => put(now), beat.who, moves));
  else if (now.strip) put(now);
  light(beat);
  document.dispatchEvent(new CustomEvent("parlour:beat", { detail: beat }));
  await wait(length);
  const spent = Math.max(0, performance.now() - began - length), kind = now.board ? "draw" : "say";
  if (playing) costs[kind] += (spent - costs[kind]) * (spent > costs[kind] ? 0.5 : 0.15);
}

let playing = false;
async function run() {
  if (playing) return;
  playing = true;
  document.body.classList.add("playing");
  while (queue.length) {
    const one = queue.shift(), { beat, regions, news, came, last } = one;
    lastShown = performance.now() - came;
    if (beat) {
      if (still() || lastShown > BEHIND) continue;
      await play(one);
    } else {
      document.getElementById("now-told").textContent = last?.say ?? "";
      const { moves } = plan([one, ...queue], performance.now(), costs);
      const took = move(() => put(regions, news), last?.who ?? -1, moves);
      light(last);
      if (last) document.dispatchEvent(new CustomEvent("parlour:beat", { detail: last }));
      if (last && queue.length && !still()) await wait(moves(took));
      if (last) setTimeout(() => { if (!playing) document.getElementById("now-told").textContent = ""; }, 1600);
    }
  }
  playing = false;
  document.body.classList.remove("playing");
  document.dispatchEvent(new CustomEvent("parlour:shown"));
}

function skip() {
  for (const one of queue.splice(0)) if (one.regions) put(one.regions, one.news);
  for (const one of document.querySelectorAll(".air")) one.getAnimations().forEach((moving) => moving.finish());
  document.getElementById("now-told").textContent = "";
  skipped?.();
}

function show(regions, news, beats = []) {
  const came = performance.now();
  let lines = []; // each board is told by how it differs from the one before
  for (const beat of beats) if (beat.board) {
    lines = beat.board.flatMap((one) => typeof one === "string" ? [one] : lines.slice(one[0], one[0] + one[1]));
    beat.board = lines.join("\n");
  }
  const last = beats.pop();
  if (still() || (!playing && !beats.length && !last)) {
    if (playing) skip();
    move(() => put(regions, news), -1, (ms) => ms * (PACE || 1));
    return;
  }
  if (playing && !last && !regions.board && !regions.strip && !regions.story) { put(regions, news); return; } // who is here, what they say
  if (beats.length) queue.push(...beats.map((beat) => ({ beat, came })));
  queue.push({ regions, news, came, last });
  run();
}

// What is pressed while events are shown ends them, and must be pressed again: it was meant for another table.
for (const kind of ["click", "keydown"]) addEventListener(kind, (event) => {
  if (!playing || (kind === "keydown" && !["Enter", " ", "Escape"].includes(event.key))) return;
  if (event.target.closest?.(".top, .drawer, input, select, textarea")) return;
  const meant = event.target.closest?.("#play button"), aid = event.target.closest?.(".aids button")?.id;
  event.preventDefault();
  event.stopImmediatePropagation();
  skip();
  if (aid) document.addEventListener("parlour:shown", () => document.getElementById(aid)?.click(), { once: true }); // it is meant for whatever comes
  if (meant?.matches(".legal")) answer(t("The table has changed since. Check it, then press again."));
}, true);

function answer(text, clause) {
  const place = document.getElementById("answer");
  place.textContent = text;
  if (clause) {
    const link = document.createElement("a");
    link.href = document.getElementById("help").href + "#" + clause;
    link.textContent = t("The rule");
    link.target = "_blank";
    place.append(" ", link);
  }
}

let socket = null;
let sent = false; // what has been sent is picked no more
let waiting = null; // what was pressed, and nothing has come back about it yet
const LOST = t("Connection lost. Trying again.");

// Something has come: if it is from a new connection and the moment is still the same, what was pressed had got lost.
function settle(change) {
  const last = waiting;
  waiting = null;
  if (!last || last.over === socket || change.refused) return;
  const board = change.regions?.board ?? document.getElementById("r-board").innerHTML;
  const same = board.includes(`name="moment" value="${last.moment}"`);
  if (same) press(last.text, last.moment);
  if (last.over === null) answer(same ? "" : t("Somebody has moved since. Check the table, then try again."));
}

function press(text, moment) {
  sent = true;
  waiting = { text, moment, over: socket };
  socket.send(text);
}

// The card or the button that a hint means.
const shownMoment = () => document.querySelector("#play [name=moment]")?.value;
function mark(action) {
  if (!action) return;
  const words = action.split(" ");
  const found = [...document.querySelectorAll("#play button, #play input[type=radio]")];
  const meant = found.filter((one) => one.value === action && isSeen(one)), picked = found.filter((one) => one.type === "radio" && words.includes(one.value));
  const field = document.getElementsByName("amount " + words.slice(0, -1).join(" "))[0];
  if (!meant.length && field) { field.value = words.at(-1); meant.push(field); }
  for (const one of [...meant, ...(meant.length ? [] : picked)]) (one.closest("label") ?? one).dataset.hinted = t("Hint");
  document.querySelector("[data-hinted]")?.scrollIntoView({ block: "nearest" });
}

// What is pressed looks so at once, and until something has come back about it.
let pressed = null;
function lift() { pressed?.classList.remove("sent"); pressed = null; }
addEventListener("touchstart", () => {}, { passive: true }); // some browsers show what a finger is on only if somebody listens

async function send(form, button) {
  lift();
  pressed = button;
  button?.classList.add("sent");
  const data = new FormData(form, button);
  answer(form.dataset.ask === "hint" ? t("The search player is thinking.") : "");
  if (form.id === "play") waiting = null; // what is pressed now counts
  if (form.id === "play" && socket.readyState === WebSocket.OPEN) { // the quick way
    press(new URLSearchParams(data).toString(), data.get("moment"));
    return;
  }
  try {
    const got = await fetch(form.getAttribute("action"), { method: "POST", body: new URLSearchParams(data), headers: { "X-Parlour": "1" } });
    if (!got.redirected) lift();
    if (got.status === 204) { if (form.id === "play") form.reset(); if (form.matches(".chat")) main.querySelector(".chat").reset(); return; }
    if (got.redirected) { location = got.url; return; }
    if (got.status >= 500) { answer(t("Something went wrong on the server. Nothing has changed.")); return; }
    const said = await got.json();
    if (said.regions) { show(said.regions); document.getElementById("say").textContent = said.say; }
    else if (said.advice) { answer(said.advice); if (shownMoment() === said.moment) mark(said.hinted); }
    else { late = data.get("do") === "again"; if (!late || form.isConnected) answer(said.sentence, said.clause); }
  } catch {
    if (form.id === "play") {
      const text = new URLSearchParams(data).toString(), moment = data.get("moment");
      if (socket.readyState === WebSocket.OPEN) { press(text, moment); return; } // it is back already
      waiting = { text, moment, over: null };
    }
    lift();
    answer(form.id === "play" ? t("Can't reach the server. Your move will be made when it is back.") : t("Can't reach the server."));
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
  const wishes = new URLSearchParams({ at: main.dataset.moment, chain: main.dataset.chain, holds: "1" });
  if (main.dataset.watches) wishes.set("watch", "1");
  if (canMix) wishes.set("mix", "1");
  if (!quiet.matches && PACE) wishes.set("steps", "1");
  main.dataset.moment = ""; // later it shows another one
  const line = socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/t/${main.dataset.table}/live?${wishes}&language=${document.documentElement.lang}`);
  let greeted = false;
  if (main.dataset.several) watch(line);
  line.onmessage = (event) => {
    if (line !== socket || event.data === "{}") return; // it is there, and has nothing to say
    pause = 500;
    const first = !greeted;
    if (first) { greeted = true; if (document.getElementById("answer").textContent === LOST) answer(""); }
    const change = JSON.parse(event.data);
    if (change.refused || change.regions?.board || (first && change.regions && waiting?.over === null)) settle(change);
    if (change.regions) show(change.regions, change.news, change.beats);
    if (first) holdOrGoOn();
    if (change.refused) { sent = false; lift(); answer(change.refused.sentence, change.refused.clause); }
    if (change.toast) flash(document.getElementById("toast"), change.toast);
    if (change.react) bubble(change.react);
    if (change.watching !== undefined) watched(change.watching);
    if (change.say) document.getElementById("say").textContent = change.say;
    if (change.asked !== undefined) document.title = (change.asked ? t("Your turn · ") : "") + document.title.replace(t("Your turn · "), "");
    if (change.mixing && canMix) mix(change.mixing.stage, change.mixing.commitment);
  };
  line.onclose = (event) => {
    if (line !== socket) return;
    if (event.code === 4404) { answer(t("This table no longer exists.")); return; }
    calling = setTimeout(listen, pause);
    pause = Math.min(pause * 2, 10000);
    if (pause > 1500 && !waiting) answer(LOST);
  };
}

// What somebody says with one press is over their seat for a moment, and who has come or gone is said at the top; both
// are read aloud as everything that is said.
const FOR = 5000;
function flash(place, text) {
  place.textContent = text;
  clearTimeout(place.until);
  place.until = setTimeout(() => { place.textContent = ""; }, FOR);
}

function bubble({ seat, text }) {
  const box = plate(seat);
  if (!box?.width) return;
  for (const one of document.querySelectorAll(`.bubble[data-of="${seat}"]`)) one.remove();
  const said = document.createElement("span");
  said.className = "bubble";
  said.dataset.of = seat;
  said.ariaHidden = "true";
  said.textContent = text;
  document.body.append(said);
  const { width, height } = said.getBoundingClientRect();
  said.style.left = Math.max(4, Math.min(innerWidth - width - 4, box.left + (box.width - width) / 2)) + "px";
  said.style.top = Math.max(52, box.top - height - 4) + "px";
  setTimeout(() => said.remove(), FOR);
}

function watched(n) {
  const place = document.getElementById("watching");
  place.hidden = !n;
  place.querySelector("b").textContent = n;
}

// The address that a button passes on: its own, or else that of the table.
const linkOf = (button) => button.dataset.link ?? document.getElementById("invite-link").value;

async function share(button) {
  const said = { title: "Parlour", text: button.dataset.share, url: linkOf(button) };
  try {
    if (navigator.share) await navigator.share(said);
    else { await navigator.clipboard.writeText(`${said.text}. ${said.url}`); button.textContent = t("Copied"); }
  } catch { /* somebody thought better of it */ }
}

// To open the invitation copies its link.
async function copy(button) {
  try {
    await navigator.clipboard.writeText(linkOf(button));
    button.textContent = t("Copied");
  } catch { document.getElementById("invite-link").select(); button.textContent = t("Copy it from the field"); }
  document.getElementById("say").textContent = button.textContent;
}

if (main) {
  document.addEventListener("click", (event) => { if (["share", "pass-on"].includes(event.target.id)) share(event.target); });
  if (!navigator.share) document.getElementById("pass-on")?.remove();
  document.getElementById("copy")?.addEventListener("click", (event) => copy(event.target));
  document.getElementById("invite")?.addEventListener("toggle", (event) => { if (event.newState === "open") copy(document.getElementById("copy")); });
  document.getElementById("invite-link")?.addEventListener("focus", (event) => event.target.select());
  countRemarks();
  reachable();
  addEventListener("resize", () => { reachable(); makeRoom(); });
  for (const kind of ["change", "parlour:shown"]) document.addEventListener(kind, makeRoom); // a card that is picked brings buttons
  document.fonts.ready.then(makeRoom);
  document.getElementById("people-drawer").addEventListener("toggle", (event) => { if (event.newState === "open") document.getElementById("unread").textContent = ""; });
  // what there is to do may be cut short where there is little room: pressed, it is shown whole; pressed again, it goes
  document.addEventListener("click", (event) => {
    const said = event.target.closest(".now ul");
    if (said && [...said.children, said].some((one) => one.scrollHeight > one.clientHeight + 1)) answer([...said.children].map((one) => one.textContent).join(" "));
    else if (event.target.id === "answer") answer("");
  });
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.matches("#play, .aid, .guide, .chat, .inline")) { event.preventDefault(); form.closest(".invite")?.hidePopover(); send(form, event.submitter); }
  });
  let keys = null; // what they do is loaded when somebody presses one
  if (main.dataset.keys) document.addEventListener("keydown", (event) => {
    if (!/^([1-9?hutserp]|ArrowLeft|ArrowRight)$/i.test(event.key)) return;
    if (event.target.matches("input:not([type=radio], [type=checkbox]), select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
    keys ? keys.pressed(event) : import(main.dataset.keys).then((made) => { keys = made; keys.pressed(event); });
  });
  document.addEventListener("keydown", (event) => {
    if (!["Enter", " "].includes(event.key)) { moved = null; return; } // whoever goes on from there has seen it
    if (!moved || event.target !== moved.to || performance.now() - moved.at > MEANT) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    answer(t("The table has just changed. Check it, then try again."));
  });
  // a network that is gone ends no connection, so that it would be found out only when somebody has waited for long
  addEventListener("offline", () => { answer(LOST); socket.close(); });
  addEventListener("online", () => { pause = 500; listen(); });
  listen();
}
