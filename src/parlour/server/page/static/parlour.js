// A table's page with a script takes in what has changed, and sends what the reader presses, without reloading.
"use strict";

const main = document.querySelector("main[data-table]");
const quiet = matchMedia("(prefers-reduced-motion: reduce)");

// What this script knows of the HTML of a table: players, cards and other things with keys, sums, parts that scroll.
const SEAT = (seat) => `#r-board [data-seat="${seat}"]`; // the player there: lit, shaken, and where cards come from
const KEYED = "#r-board .card[data-key]"; // cards, known by their names, which move if their places change
const SUMS = "#r-board [data-n]", PLACES = "[data-mark], [data-seat], [data-key=pot]"; // numbers of coins, and where they lie
const HIDDEN = "#r-board .card.down"; // cards that may be turned up where they lie
const SCROLLS = ".acts, .idea, .own"; // parts of a table that may hold more than fits
const told = document.getElementById("now-told"), skipper = document.getElementById("skip");

// A sentence in the reader's language; the page brings the words.
const spoken = JSON.parse(document.body.dataset.words || "{}");
const t = (text) => spoken[text] || text;

// What tells an element from its neighbours, so that it is found again when its part of the page is replaced.
const sign = (one) => [one.localName, one.id || (one.name === "action" && one.value) || [one.getAttribute("name"), one.getAttribute("value"), one.getAttribute("href"), one.textContent.trim()]].join();

// Where the focus was put because the element that had it is gone. A key meant for that one must not press this one.
const MEANT = 400;
let moved = null;

// What the reader has filled in or picked, and not sent yet, is kept when its part of the page is replaced.
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

for (const one of document.querySelectorAll(".unfolded")) { one.popover = "auto"; one.classList.remove("unfolded"); one.showPopover(); } // from an address for readers without script
const isSeen = (one) => !one.disabled && one.checkVisibility({ visibilityProperty: true }); // only such an element can have the focus

// New sentences of the story go before the old ones, some of which are kept.
function tell(news) {
  const list = document.querySelector("#r-story ol");
  list.insertAdjacentHTML("afterbegin", news);
  while (list.children.length > 16) list.lastElementChild.remove();
}

// Messages that came while the reader was not looking are counted on the button that leads to them.
let counted = null;
function countRemarks() {
  const drawer = document.getElementById("people-drawer"), badge = document.getElementById("unread");
  const now = [...drawer.querySelectorAll(".remarks li:not(.notice)")].map((one) => one.textContent);
  if (counted && badge && !drawer.matches(":popover-open")) badge.textContent = +badge.textContent + now.length - Math.max(0, now.lastIndexOf(counted.at(-1)) + 1) || "";
  counted = now;
}

// A part that scrolls, because it holds more than fits, can be reached by keys; Tab passes over one that does not.
function reachable() {
  const all = [...document.querySelectorAll(SCROLLS)];
  const scroll = all.map((one) => one.scrollHeight > one.clientHeight + 1 && getComputedStyle(one).overflowY === "auto");
  all.forEach((one, i) => one.toggleAttribute("tabindex", scroll[i]) && (one.tabIndex = 0));
}

// Change a part of the page into what it is now. Whatever is the same is left alone, so that it is not drawn again.
const ACTIVE = "button, input, select, a, summary";
const kindOf = (one) => one.nodeType !== 1 ? one.nodeName : one.matches(ACTIVE) ? sign(one) : [one.localName, one.id, one.classList[0], one.dataset?.key ?? one.firstElementChild?.dataset?.key, one.dataset?.seat, one.dataset?.mark].join();

function become(old, now) {
  if (old.isEqualNode(now)) return;
  if (old.nodeType !== 1) { old.data = now.data; return; }
  for (const { name } of [...old.attributes]) if (!now.hasAttribute(name) && !(name === "open" && old.localName === "details")) old.removeAttribute(name);
  for (const { name, value } of now.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  fill(old, now);
}

function fill(old, now) {
  const known = new Map();
  for (const one of old.childNodes) known.set(kindOf(one), [...(known.get(kindOf(one)) ?? []), one]);
  const all = [...now.childNodes].map((one) => [known.get(kindOf(one))?.shift(), one]);
  for (const rest of known.values()) for (const one of rest) one.remove(); // first, so that nothing that stays has to move past it
  let place = old.firstChild;
  for (const [there, one] of all) {
    if (there && there === place) place = place.nextSibling;
    else old.insertBefore(there ?? one, place);
    if (there) become(there, one);
  }
}

function remake(region, html) {
  const made = document.createElement("template");
  made.innerHTML = html;
  fill(region, made.content);
  for (const one of region.querySelectorAll(FIELDS)) {
    if (one.localName === "select") one.selectedIndex = Math.max(0, [...one.options].findIndex((option) => option.defaultSelected));
    else if (one.type === "radio" || one.type === "checkbox") one.checked = one.defaultChecked;
    else one.value = one.defaultValue;
  }
}

function put(regions, news) {
  arrive();
  if (news) tell(news);
  const focus = document.activeElement;
  const held = main.contains(focus) ? sign(focus) : null;
  const home = held && focus.closest("[id^=r-]");
  const typed = held && focus.matches("input") && focus.type === "text" ? focus.selectionStart : null;
  for (const [name, html] of Object.entries(regions)) {
    const region = document.getElementById("r-" + name);
    const before = new Map([...region.querySelectorAll(FIELDS)].filter(chosen).map((one) => [same(one), { value: one.value, checked: one.checked }]));
    remake(region, html);
    if (name !== "board" || !sent) refill(region, before);
  }
  if (regions.people) countRemarks();
  if (regions.board && !queue.length) reachable();
  if (regions.board) sent = false;
  if (regions.held !== undefined && late && !document.getElementById("go-on-deal")) { late = false; answer(""); }
  if (regions.end) dressEnd();
  if (home && (document.activeElement !== focus || !isSeen(focus))) {
    const again = [...home.querySelectorAll("button, input, select, summary, a")].find((one) => sign(one) === held && isSeen(one));
    if (!again) lead();
    else again.focus({ preventScroll: true });
    if (again && typed !== null) again.setSelectionRange(typed, typed);
  }
}

// What had the focus is gone, so it goes to the first choice or, if there is none, to what says why.
function lead() {
  const to = [...main.querySelectorAll("#r-board button.legal, #r-board .legal input")].find(isSeen) || document.getElementById("r-strip");
  if (to.id === "r-strip") to.tabIndex = -1;
  moved = { to, at: performance.now() };
  to.focus({ preventScroll: true });
}

// The styles of the end of a match are loaded when it comes; until then, it cannot be seen.
function dressEnd() {
  if (!main.dataset.end) return;
  answer(""); // what was refused before matters no more
  document.querySelector("link[rel=stylesheet]").after(Object.assign(document.createElement("link"), { rel: "stylesheet", href: main.dataset.end }));
  delete main.dataset.end;
}

let late = false; // the server has refused to go on, perhaps because the table has gone on by itself

// ---- what happens is shown in beats, each of one event, or of neighbouring events of one kind

const PACE = { slow: 1.8, normal: 1, quick: 0.55, off: 0 }[main?.dataset.speed] ?? 1;
const still = () => quiet.matches || !PACE || document.visibilityState !== "visible";
const MS = { card: 420, coins: 620, say: 500 }; // how long things move, or a sentence stands if nothing moves
const GAP = { card: 160, no: 60, say: 200 }; // how much later the next in a row begins, and how much longer two sentences take
const FLIGHT = 0.6, AIR = 48; // the share of its time that a coin flies, after the one before; the most coins in the air
const HOLD = 320, SWEPT = 200; // how long a beat stands still after that, if the game says nothing else; and a row of forced cards
const ROW = 840; // the most that a row moves: the longer it is, the closer its steps
const MINE = 800; // the least that a card which the reader had to play is seen
const BEHIND = 3000; // where others play, the most that the page may be behind
const AIM = 2700; // and what it aims at, since no browser is always on time
const FRAME = 17; // nobody sees what is shown for less
const SWEEP = ["lead", "run", "no", "none"]; // cards that had to be played, players who lacked them, and the end of a row of them
const ALONE = ["show", "compare", "gain", "tablet"]; // kinds of events of which each is a beat of its own
const queue = []; // events still to be shown; the last of each telling brings the present state
let cost = 30; // what drawing a beat takes on top: more on a slow machine
let skipped = null; // ends the beat that is being shown
let skips = 0; // how often the reader has skipped what was being shown
let hurries = false; // whether nothing is shown until it is the reader's turn
let lastShown = null; // for measurements: how long ago the events being shown came

const boxes = () => [...document.querySelectorAll(KEYED)].map((one) => ({ one, key: one.dataset.key, box: one.getBoundingClientRect() }));
const downs = () => [...document.querySelectorAll(HIDDEN)].map((one) => one.getBoundingClientRect());
function sums() { // by where they lie: a purse, a pool, the pot, what a player takes in a showdown
  const found = new Map();
  for (const one of document.querySelectorAll(SUMS)) {
    const place = one.closest(PLACES), { mark, seat } = place?.dataset ?? {};
    let key = place && (mark ? "mark " + mark : seat ? place.classList[0] + seat : "pot");
    while (found.has(key)) key += "+";
    if (key) found.set(key, { one, n: +one.dataset.n, box: one.getBoundingClientRect() });
  }
  return found;
}
const plate = (seat) => { // where a player sits: their face or, for the reader on a phone, who has none there, the name
  const there = document.querySelector(SEAT(seat)), face = there?.querySelector(".portrait");
  return (face?.checkVisibility() ? face : there)?.getBoundingClientRect();
};
const apart = (a, b) => Math.hypot(a.left - b.left, a.top - b.top);

// Where each card was. Of cards that are alike, one that has stayed where it lay is taken to be the same card.
function origins(before, now) {
  const left = Map.groupBy(before, ({ key }) => key), found = new Map();
  for (const stays of [true, false]) for (const { one, key, box } of now) {
    const alike = left.get(key) ?? [], which = stays ? alike.findIndex((was) => apart(was.box, box) <= 3) : 0;
    if (!found.has(one) && alike[which]) found.set(one, alike.splice(which, 1)[0].box);
  }
  return found;
}

const near = (a, b) => Math.abs(a.left - b.left) < a.width && Math.abs(a.top - b.top) < a.height * 0.7;

function fly(one, from, to, ms, later = 0) {
  if (!to.width || !from.width) return;
  const air = one.cloneNode(true), x = from.left - to.left, y = from.top - to.top, grow = from.width / to.width;
  air.className = "card air";
  air.inert = true;
  delete air.dataset.key; air.removeAttribute("name");
  Object.assign(air.style, { left: to.left + "px", top: to.top + "px", width: to.width + "px" });
  document.body.append(air);
  one.style.opacity = "0"; // what is not visible loses the focus
  const lift = Math.min(46, 8 + Math.hypot(x, y) / 12);
  const flight = air.animate([
    { transform: `translate(${x}px, ${y}px) scale(${grow})`, transformOrigin: "0 0" },
    { transform: `translate(${x / 2}px, ${y / 2 - lift}px) scale(${(1 + grow) / 2 * 1.06}) rotate(${Math.sign(x) * -3}deg)`, transformOrigin: "0 0" },
    { transform: "none", transformOrigin: "0 0" },
  ], { duration: ms, delay: later, fill: "backwards", easing: "cubic-bezier(.3,.1,.15,1)" });
  flight.onfinish = flight.oncancel = () => { air.remove(); one.style.opacity = ""; };
}

// A player who does not have the card shakes their head.
function shake(seat, ms, later) {
  document.querySelector(SEAT(seat))?.animate([
    { transform: "none" }, { transform: "translateX(-4px) rotate(-3deg)" }, { transform: "translateX(4px) rotate(3deg)" }, { transform: "translateX(-3px)" }, { transform: "none" },
  ], { duration: ms, delay: later, easing: "cubic-bezier(.3,.1,.15,1)" });
}

function turn(one, ms) {
  one.animate([{ transform: "translateY(-8px) rotateY(90deg)" }, { transform: "translateY(-8px) rotateY(0)", offset: 0.8 }, { transform: "none" }], { duration: ms, easing: "cubic-bezier(.3,.1,.15,1)" });
}

// A number changes with its coins, step by step, and is right before anything else happens.
const STEPS = 9;
let counting = [];
const arrive = () => { for (const ends of counting.splice(0)) ends(); };
function count({ one, was, n }, begins, ends) {
  const text = one && [...one.childNodes].find((node) => +node.data === n);
  if (!text) return;
  const steps = Math.min(STEPS, Math.abs(n - was));
  const timers = Array.from({ length: steps }, (_, k) => setTimeout(() => { text.data = Math.round(was + (n - was) * (k + 1) / steps); }, begins + (ends - begins) * k / STEPS));
  text.data = was;
  counting.push(() => { timers.forEach(clearTimeout); text.data = n; });
}

function toss(from, to, n, ms) {
  for (let i = 0; i < n; i++) {
    const coin = document.createElement("span"), x = from.left - to.left, y = from.top - to.top;
    coin.className = "air coin";
    Object.assign(coin.style, { left: to.left + "px", top: to.top + "px" });
    document.body.append(coin);
    coin.animate([{ transform: `translate(${x}px, ${y}px)` }, { transform: `translate(${x / 2}px, ${y / 2 - 24 - 3 * i}px)` }, { transform: "none" }],
      { duration: ms * FLIGHT, delay: i * ms * (1 - FLIGHT) / STEPS, fill: "backwards", easing: "cubic-bezier(.35,0,.3,1)" }).onfinish = () => coin.remove();
  }
}

// Coins go from where there are fewer now to where there are more; a pool that is no longer there is empty. Coins that
// come from nowhere on the board come from the player who lays them.
function pay(before, who, ms) {
  const now = sums(), changed = [], flights = [];
  for (const key of new Set([...before.keys(), ...now.keys()])) {
    const was = before.get(key), is = now.get(key), isPool = /^(pot|mark)/.test(key);
    if (!(is ?? was).box.width || !(isPool || (is && (was || key.startsWith("lane"))))) continue;
    const one = { ...was, ...is, was: was?.n ?? 0, n: is?.n ?? 0, isPool };
    one.left = one.n - one.was;
    if (one.left) changed.push(one);
  }
  for (const one of changed) {
    const sum = document.createElement("span"), { n, was, box, left } = one;
    sum.className = "air sum";
    sum.inert = true;
    sum.textContent = left > 0 ? "+" + left : "\u2212" + -left;
    Object.assign(sum.style, { left: box.left + "px", top: box.top - 18 + "px" });
    document.body.append(sum);
    sum.animate([{ transform: "none", opacity: 1 }, { transform: "translateY(-14px)", opacity: 0 }], { duration: ms * 1.5, easing: "ease-out" }).onfinish = () => sum.remove();
    count(one, n > was ? ms * FLIGHT : 0, n > was ? ms : ms * (1 - FLIGHT));
  }
  for (const to of changed) {
    for (const from of changed) {
      const n = Math.min(to.left, -from.left);
      if (n <= 0) continue;
      flights.push([from.box, to.box, n]);
      to.left -= n;
      from.left += n;
    }
    const home = to.left > 0 && to.isPool && plate(who);
    if (home) flights.push([home, to.box, to.left]);
  }
  for (const [from, to, n] of flights) toss(from, to, Math.min(n, STEPS, Math.ceil(AIR / flights.length)), ms);
  return changed.length > 0;
}

// When each event of a beat begins to move: one card after another and, in between, the heads of players who lack the next.
const isNo = (beat) => beat.kind === "no", isCard = (beat) => !isNo(beat) && beat.kind !== "none" && beat.cards.length > 0;
function timesOf(beats) {
  let next = 0, end = 0;
  const at = beats.map((beat) => {
    const begins = next, n = isCard(beat) ? beat.cards.length : 1;
    if (isNo(beat) || isCard(beat)) { next += n * GAP[isNo(beat) ? "no" : "card"]; end = begins + (n - 1) * GAP.card + MS.card; }
    return begins;
  });
  const part = Math.min(1, (ROW - MS.card) / (end - MS.card));
  return { at: at.map((begins) => begins * part), step: GAP.card * part, end: Math.min(end, ROW) };
}

// Apply a change, and show the movements of a beat's events; return how long that takes.
function move(change, beats = [], pace = PACE || 1) {
  if (still()) { change(); return 0; }
  const was = boxes(), hidden = downs(), had = sums(), times = timesOf(beats);
  const turns = beats.flatMap((beat, n) => isCard(beat) ? beat.cards.map((card, k) => ({ card, home: plate(beat.who), later: times.at[n] + k * times.step })) : []);
  const home = plate(beats.at(-1)?.who);
  change();
  let long = beats.some(isNo) ? times.end : 0;
  // all places are read first: the browser would work out again each one that is read after a change
  const now = boxes(), origin = origins(was, now);
  for (const { one, key, box: to } of now) {
    const from = origin.get(one), turned = turns.find((each) => each.card === key), later = turned?.later ?? 0;
    if (!to.width || (!from && !was.length) || (from && apart(from, to) <= 3)) continue;
    if (from && near(from, to) && !one.closest(".hand")) continue; // it has moved only because something came above it
    const start = from ?? turned?.home ?? home;
    if (!from && hidden.some((box) => near(box, to))) turn(one, MS.card * pace);
    else if (start) fly(one, start, to, MS.card * pace, later * pace);
    long = Math.max(long, MS.card + later);
  }
  beats.forEach((beat, n) => { if (isNo(beat)) shake(beat.who, MS.card * pace, times.at[n] * pace); });
  return Math.max(long, pay(had, beats.at(-1)?.who, MS.coins * pace) ? MS.coins : 0);
}

function light(beats) {
  for (const one of document.querySelectorAll("#r-board .acting, #r-board .just")) one.classList.remove("acting", "just");
  for (const beat of beats.filter(isCard)) for (const card of beat.cards) document.querySelector(`#r-board [data-key="${CSS.escape(card)}"]`)?.classList.add("just");
  const last = beats.findLast((beat) => !isNo(beat));
  if (last) document.querySelector(SEAT(last.who))?.classList.add("acting");
}

function wait(ms) {
  return new Promise((done) => { const timer = setTimeout(done, ms); skipped = () => { clearTimeout(timer); done(); }; });
}

// Whether an event belongs to a beat: to one of its like; to one that it only adds to ("and"); or, to a led card, the
// cards that then had to be played, the players who lacked them, and the end of their row.
function joins(beats, next) {
  const kind = beats.find((beat) => beat.kind !== "and")?.kind ?? "and";
  if (next.kind === "and") return true;
  if (ALONE.includes(next.kind) || !SWEEP.includes(kind) || !SWEEP.includes(next.kind)) return next.kind === kind && !ALONE.includes(kind);
  return !((next.kind === "lead" && beats.some(isCard)) || beats.some((beat) => beat.kind === "none"));
}
function grouped(waiting) {
  const groups = [];
  let between = [];
  for (const one of waiting) {
    const last = beatsOf(groups.at(-1) ?? []);
    if (!one.beat) between.push(one);
    else if (last.length && joins(last, one.beat)) { groups.at(-1).push(...between, one); between = []; }
    else { groups.push(...between.map((each) => [each]), [one]); between = []; }
  }
  return [...groups, ...between.map((each) => [each])];
}
const beatsOf = (group) => group.map((one) => one.beat).filter(Boolean);

// What is said of a beat: what ends a row, or one sentence about all, or every sentence (of many, the first and the last).
const names = new Intl.ListFormat(document.documentElement.lang.replace(/^en$/, "en-GB"));
function saidOf(beats) {
  const close = beats.find((beat) => beat.kind === "none"), cards = beats.filter(isCard);
  if (close || !beats.length) return close?.say ?? "";
  if (beats.some(isNo) && cards.length) return saidOf(cards);
  const people = [...new Set([...beats].sort((a, b) => Boolean(a.mine) - Boolean(b.mine)).map((beat) => beat.name))], { many } = beats[0];
  if (many && people.length > 1 && beats.every((beat) => beat.many === many)) return many.replace("{who}", () => names.format(people));
  const all = beats.map((beat) => beat.say);
  return all.length > 3 ? `${all[0]} … ${all.at(-1)}` : all.join(" ");
}

// How long a beat is shown (ms): while things move, and then until its sentence has been read.
function held(beats, long) {
  const { hold, kind } = beats.at(-1), own = beats.findLastIndex((beat) => beat.mine && beat.kind === "run");
  const read = long + (hold ?? (long ? SWEEP.includes(kind) ? SWEPT : HOLD : MS.say + (saidOf(beats).split(". ").length - 1) * GAP.say));
  return own < 0 ? read : Math.max(timesOf(beats).at[own] + MINE, read);
}
const movesOf = (group, beats) => beats.some(isNo) || group.some((one) => one.regions.board) ? timesOf(beats).end : 0; // as far as that is known beforehand

// How the first waiting beat is shown. Where the page sets the pace, in full. Where others play, each telling has to
// be shown in time: first, beats stand for less time; then, denials are left out; then, sentences replace movements;
// and if there is no time even for that, everything left comes at once.
function plan(groups, now, cost) {
  const how = { part: 1, denials: true, moves: true, each: Infinity };
  let long = 0, hold = 0, lean = 0, many = 0;
  groups.forEach((group, n) => {
    const beats = beatsOf(group), rest = beats.filter((beat) => !isNo(beat));
    if (beats.length) {
      const moves = movesOf(group, beats);
      long += moves * PACE;
      hold += (held(beats, moves) - moves) * PACE;
    }
    if (rest.length) { lean += movesOf(group, rest) * PACE + cost; many++; }
    const whole = group.findLast((one) => one.whole);
    if (!whole || whole.paced) return;
    const there = whole.came + AIM - now, room = there - (n + 1) * cost;
    if (long + hold <= room) return;
    how.part = Math.min(how.part, Math.max(0, room - long) / (hold || 1));
    if (long <= room) return;
    how.denials = false;
    if (lean <= there) return;
    how.moves = false;
    how.each = Math.min(how.each, Math.max(FRAME, (there - cost) / (many || 1)));
  });
  return how;
}

// How long a beat is shown whose movements take this long.
function lengthOf(beats, how, long) {
  const full = held(beats, long) * PACE;
  return Math.max(FRAME, Math.min(how.each, how.moves ? long * PACE + (full - long * PACE) * how.part : full * how.part));
}

async function play(group, how) {
  const began = performance.now(), beats = beatsOf(group).filter((beat) => how.denials || !isNo(beat)), whole = group.some((one) => one.whole);
  lastShown = began - group[0].came;
  if (!whole && (!beats.length || (lastShown > BEHIND && !group[0].paced))) return;
  const regions = Object.assign({}, ...group.map((one) => one.regions));
  if (!whole && !how.moves) delete regions.board;
  const change = () => { for (const one of group) if (one.news) tell(one.news); put(regions); };
  told.textContent = saidOf(beats);
  let long = 0;
  if (how.moves) long = move(change, beats); else change();
  light(beats);
  if (!queue.length && !regions.held && !regions.end) hasShown(group.at(-1)); // it is on the table: bots need not wait while it is shown coming there
  if (!beats.length) return;
  document.dispatchEvent(new CustomEvent("parlour:beat", { detail: { ...beats.at(-1), say: told.textContent, cards: beats.filter(isCard).flatMap((beat) => beat.cards), events: beats } }));
  if (isAsked() && !queue.length) return; // a reader who is to choose can do so at once
  const length = lengthOf(beats, how, long);
  await wait(length);
  const spent = Math.max(0, performance.now() - began - length);
  if (playing) cost += (spent - cost) * (spent > cost ? 0.5 : 0.15);
}

const isAsked = () => Boolean(document.querySelector("#r-strip .now.mine"));
let playing = false, paced = false;
async function run() {
  if (playing) return;
  playing = true;
  document.body.classList.add("playing");
  while (queue.length) {
    offerToSkip();
    const groups = grouped(queue), how = plan(groups, performance.now(), cost);
    queue.splice(0, groups[0].length);
    const before = skips;
    await play(groups[0], how);
    if (skips === before) hasShown(groups[0].at(-1)); // otherwise the page has already said that it has shown more
  }
  playing = false;
  document.body.classList.remove("playing");
  offerToSkip();
  if (document.querySelector(".held-say")) told.textContent = "";
  else setTimeout(() => { if (!playing) told.textContent = ""; }, 1600);
  document.dispatchEvent(new CustomEvent("parlour:shown"));
}

// Where nobody else plays, bots wait until the page says what it has shown, and take no time while it hurries.
let lastSaid = "", latest = {};
function hasShown({ match, heard }) {
  const text = JSON.stringify({ do: "shown", id: `s${match}.${heard}`, match, heard, hurry: hurries });
  if (heard === undefined || text === lastSaid || socket?.readyState !== WebSocket.OPEN) return;
  socket.send(lastSaid = text);
}

// Stands in the place of a choice while the reader waits, for bots or for what is being shown.
const waits = () => Boolean(document.querySelector("#r-strip .waits"));
function offerToSkip() {
  const had = document.activeElement === skipper;
  const reads = !playing && document.querySelector(".idea:not(.lesson)"); // the guide explains, and bots wait
  skipper.hidden = !!reads || hurries || !waits() || !(paced || (playing && (queue.length > 1 || !skipper.hidden)));
  if (had && skipper.hidden) lead();
}
skipper?.addEventListener("click", () => skip());

function skip() {
  skips += 1;
  const rest = queue.splice(0);
  for (const one of rest) put(one.regions, one.news);
  for (const one of document.querySelectorAll(".air")) one.getAnimations().forEach((moving) => moving.finish());
  arrive();
  told.textContent = "";
  hurries = paced && waits();
  skipped?.();
  offerToSkip();
  hasShown(latest);
}

function show(regions, news, beats = [], { match, heard, alone = paced } = {}) {
  const came = performance.now(), rest = beats.length;
  paced = alone;
  if (heard !== undefined) latest = { match, heard };
  let lines = []; // each board comes as what differs from the one before
  const items = beats.map(({ board, strip, ...beat }, n) => {
    if (board) lines = board.flatMap((one) => typeof one === "string" ? [one] : lines.slice(one[0], one[0] + one[1]));
    return { beat, regions: { ...(strip && { strip }), ...(board && { board: lines.join("\n") }) }, match, heard: heard - (rest - 1 - n), came, paced };
  });
  if (!items.length) items.push({ regions: {} });
  Object.assign(items.at(-1), { regions, news, match, heard, came, paced, whole: true });
  if (still() || hurries) {
    if (playing) skip();
    for (const one of items) put(one.regions, one.news);
    hurries &&= waits();
    offerToSkip();
    hasShown(items.at(-1));
    return;
  }
  if (!rest && !(playing && (regions.board || regions.strip || regions.story))) { // who is here and what they say, or how the table is at the beginning
    if (playing) put(regions, news); else move(() => put(regions, news));
    offerToSkip();
    if (!playing) setTimeout(() => { if (!playing) hasShown(latest); }, waits() ? MS.say * PACE : 0);
    return;
  }
  queue.push(...items);
  run();
}

// A press while events are shown ends them, and must be repeated, because it was meant for a table that had changed.
for (const kind of ["click", "keydown"]) addEventListener(kind, (event) => {
  if (!playing || (kind === "keydown" && !["Enter", " ", "Escape"].includes(event.key))) return;
  if (event.target.closest?.(".top, .drawer, #r-end, input, select, textarea")) return; // these are meant as they are
  const meant = event.target.closest?.("#play button"), aid = event.target.closest?.(".aids button")?.id;
  event.preventDefault();
  event.stopImmediatePropagation();
  skip();
  if (aid) document.addEventListener("parlour:shown", () => document.getElementById(aid)?.click(), { once: true }); // it is meant for whatever comes next
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
let sent = false; // whether the reader's choice was sent, and so is no longer picked
let waiting = null; // the press about which nothing has come back yet
const LOST = t("Connection lost. Trying again.");

// Something has come. If it is over a new connection, and the moment is still the same, the press had got lost.
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

// What is seldom needed is loaded when it is: hints, sound, links, chat, the comment on a finished match.
const aid = (what, one) => import(main.dataset.aids).then((made) => made[what](one), () => answer(t("Can't reach the server.")));
const copyLink = () => aid("copy", document.getElementById("copy"));

// A pressed button looks pressed at once, and until something has come back about it.
let pressed = null;
function lift() { pressed?.classList.remove("sent"); pressed = null; }
addEventListener("touchstart", () => {}, { passive: true }); // some browsers show what a finger is on only if there is a listener

async function send(form, button) {
  lift();
  pressed = button;
  button?.classList.add("sent");
  const data = new FormData(form, button);
  answer(form.dataset.ask === "hint" ? t("The strongest bot is thinking.") : "");
  if (form.id === "play") waiting = null; // the latest press counts
  if (form.id === "play" && socket.readyState === WebSocket.OPEN) { // the quick way
    press(new URLSearchParams(data).toString(), data.get("moment"));
    return;
  }
  try {
    const got = await fetch(form.getAttribute("action"), { method: "POST", body: new URLSearchParams(data), headers: { "X-Parlour": "1" } });
    if (!got.redirected && form.dataset.ask !== "hint") lift();
    if (got.status === 204) { if (form.id === "play") form.reset(); if (form.matches(".chat")) main.querySelector(".chat").reset(); return; }
    if (got.redirected) { location = got.url; return; }
    if (got.status >= 500) { answer(t("Something went wrong on the server. Check the table, then try again.")); return; }
    if (form.dataset.ask === "hint" && got.ok) { await aid("grow", got.body); lift(); return; }
    const said = await got.json();
    if (said.heard < latest.heard) return; // the table has gone on since
    if (said.regions) { show(said.regions); document.getElementById("say").textContent = said.say; }
    else { late = data.get("do") === "again"; if (!late || form.isConnected) answer(said.sentence, said.clause); }
  } catch {
    if (form.id === "play") {
      const text = new URLSearchParams(data).toString(), moment = data.get("moment");
      if (socket.readyState === WebSocket.OPEN) { press(text, moment); return; } // the connection is back already
      waiting = { text, moment, over: null };
    }
    lift();
    answer(form.id === "play" ? t("Can't reach the server. Your move will be made when it is back.") : t("Can't reach the server."));
  }
}

// nonces for the deal: pledged first, told when all pledges are in (docs/fair_deal.md)
const hex = (bytes) => [...new Uint8Array(bytes)].map((b) => b.toString(16).padStart(2, "0")).join("");
const canMix = Boolean(globalThis.crypto && crypto.subtle);
let nonce = null;
let promised = ""; // the commitment of the match for which there is one

async function mix({ stage, commitment, match }) {
  const id = () => "m" + hex(crypto.getRandomValues(new Uint8Array(8)));
  if (stage === "pledge") {
    if (!nonce || promised !== commitment) nonce = crypto.getRandomValues(new Uint8Array(32));
    promised = commitment;
    const text = new TextEncoder().encode("parlour fair deal 1: pledge");
    const bytes = Uint8Array.from(commitment.match(/../g), (two) => parseInt(two, 16));
    const digest = await crypto.subtle.digest("SHA-256", new Uint8Array([...text, ...bytes, ...nonce]));
    socket.send(JSON.stringify({ do: "pledge", id: id(), match, pledge: hex(digest) }));
  } else if (stage === "nonce" && nonce) {
    socket.send(JSON.stringify({ do: "nonce", id: id(), nonce: hex(nonce) }));
    nonce = null;
  }
}

// A server that stalls ends no connection. Where another server could take over, the page asks whether it is still there.
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
      patience = now - since > LONGEST ? QUIET : Math.min(2 * patience, LONGEST); // so soon again, the network must be slow
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
  main.dataset.moment = ""; // a later connection shows another one
  lastSaid = "";
  const line = socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/t/${main.dataset.table}/live?${wishes}&language=${document.documentElement.lang}`);
  let greeted = false;
  if (main.dataset.several) watch(line);
  line.onmessage = (event) => {
    if (line !== socket || event.data === "{}") return; // the server is there, and has nothing to say
    pause = 500;
    const first = !greeted;
    if (first) { greeted = true; if (document.getElementById("answer").textContent === LOST) answer(""); }
    const change = JSON.parse(event.data);
    if (change.refused || change.regions?.board || (first && change.regions && waiting?.over === null)) settle(change);
    if (change.regions) show(change.regions, change.news, change.beats, change);
    if (change.refused) { sent = false; lift(); answer(change.refused.sentence, change.refused.clause); }
    if (change.toast) aid("flash", change.toast);
    if (change.react) aid("bubble", change.react);
    if (change.watching !== undefined) watched(change.watching);
    if (change.say) document.getElementById("say").textContent = change.say;
    if (change.asked !== undefined) document.title = (change.asked ? t("Your turn · ") : "") + document.title.replace(t("Your turn · "), "");
    if (change.mixing && canMix) mix(change.mixing);
  };
  line.onclose = (event) => {
    if (line !== socket) return;
    if (event.code === 4404) { answer(t("This table no longer exists.")); return; }
    calling = setTimeout(listen, pause);
    pause = Math.min(pause * 2, 10000);
    if (pause > 1500 && !waiting) answer(LOST);
  };
}

function watched(n) {
  const place = document.getElementById("watching");
  place.hidden = !n;
  place.querySelector("b").textContent = n;
}

if (main) {
  document.addEventListener("click", (event) => { if (["share", "pass-on"].includes(event.target.id)) aid("share", event.target); });
  if (!navigator.share) document.getElementById("pass-on")?.remove();
  document.getElementById("copy")?.addEventListener("click", copyLink);
  document.getElementById("invite")?.addEventListener("toggle", (event) => { if (event.newState === "open") copyLink(); });
  document.getElementById("invite-link")?.addEventListener("focus", (event) => event.target.select());
  countRemarks();
  reachable();
  addEventListener("resize", reachable);
  document.getElementById("people-drawer").addEventListener("toggle", (event) => { if (event.newState === "open") document.getElementById("unread").textContent = ""; });
  document.addEventListener("click", (event) => { if (event.target.id === "answer") answer(""); });
  document.addEventListener("click", (event) => { // the buttons that change a number
    const by = event.target.closest("[data-by]")?.dataset.by, field = by && event.target.closest(".amount").querySelector("input");
    if (!field) return;
    field.value = Math.min(field.max, Math.max(field.min, +field.value + +by));
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
  document.addEventListener("input", (event) => { // and what is left of it
    const rest = event.target.closest(".amount")?.querySelector("output");
    if (rest) rest.value = Math.max(0, rest.dataset.of - event.target.value);
  });
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.matches(".sounds")) { event.preventDefault(); aid("hear", event.submitter); }
    if (form.matches("#play, .aid, .guide, .chat, .inline")) { event.preventDefault(); form.closest("[popover]:not(.drawer)")?.hidePopover(); send(form, event.submitter); }
  });
  let keys = null; // what keys do, loaded when the reader first presses one
  if (main.dataset.keys) document.addEventListener("keydown", (event) => {
    if (!/^([1-9?hutserp]|ArrowLeft|ArrowRight)$/i.test(event.key)) return;
    if (event.target.matches("input:not([type=radio], [type=checkbox]), select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
    keys ? keys.pressed(event) : import(main.dataset.keys).then((made) => { keys = made; keys.pressed(event); });
  });
  document.addEventListener("keydown", (event) => {
    if (!["Enter", " "].includes(event.key)) { moved = null; return; } // a reader who goes on from there has seen it
    if (!moved || event.target !== moved.to || performance.now() - moved.at > MEANT) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    answer(t("The table has just changed. Check it, then try again."));
  });
  // a network that is gone ends no connection, so the reader would have to wait long to find out
  addEventListener("offline", () => { answer(LOST); socket.close(); });
  addEventListener("online", () => { pause = 500; listen(); });
  listen();
}

addEventListener("keydown", (event) => { // Escape closes the menu of appearance
  const menu = event.key === "Escape" && document.querySelector("details.looks[open]");
  if (menu) { menu.open = false; menu.firstElementChild.focus(); }
});
