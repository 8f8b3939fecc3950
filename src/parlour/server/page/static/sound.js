// The sounds of a table, switched on in the menu of its bar. All of them are generated here; there are no recordings.
"use strict";

const NOTES = { E5: 659.26, A5: 880, C5: 523.25, G5: 783.99, C6: 1046.5 };
let audio = null;

// Browsers allow sound only after the reader has pressed something; until then there is none.
function wake() {
  try {
    audio ??= new AudioContext();
    if (audio.state === "suspended") audio.resume().catch(() => {});
  } catch { removeEventListener("pointerdown", wake, true); removeEventListener("keydown", wake, true); }
}
addEventListener("pointerdown", wake, true);
addEventListener("keydown", wake, true);
if (navigator.userActivation?.hasBeenActive) wake(); // the button has been pressed

// Loud at once, then quieter and quieter.
function fading(at, loud, seconds) {
  const gain = audio.createGain();
  gain.gain.setValueAtTime(0.0001, at);
  gain.gain.exponentialRampToValueAtTime(loud, at + 0.006);
  gain.gain.exponentialRampToValueAtTime(0.0001, at + seconds);
  gain.connect(audio.destination);
  return gain;
}

function note(pitch, at, loud, seconds, shape = "triangle") {
  const tone = audio.createOscillator();
  tone.type = shape;
  tone.frequency.value = pitch;
  tone.connect(fading(at, loud, seconds));
  tone.start(at);
  tone.stop(at + seconds + 0.05);
}

// A card put down on cloth: a short, dull rustle.
function card(at) {
  const long = Math.ceil(audio.sampleRate * 0.09);
  const rustle = audio.createBuffer(1, long, audio.sampleRate);
  const samples = rustle.getChannelData(0);
  for (let i = 0; i < long; i++) samples[i] = (Math.random() * 2 - 1) * (1 - i / long) ** 3;
  const source = audio.createBufferSource(), cloth = audio.createBiquadFilter();
  source.buffer = rustle;
  cloth.type = "lowpass";
  cloth.frequency.value = 1400 + 500 * Math.random();
  source.connect(cloth).connect(fading(at, 0.3, 0.09));
  source.start(at);
}

function coins(at) {
  for (const [pitch, later] of [[3136, 0], [4186, 0.05], [3520, 0.11]]) note(pitch, at + later, 0.035, 0.16, "sine");
}

function turn(at) {
  note(NOTES.E5, at, 0.09, 0.35);
  note(NOTES.A5, at + 0.14, 0.09, 0.5);
}

function end(at) {
  ["C5", "E5", "G5", "C6"].forEach((name, i) => note(NOTES[name], at + 0.09 * i, 0.07, 1.6));
}

// The sounds of one moment of the table.
const now = () => ({
  asked: Boolean(document.querySelector("#r-strip .mine")),
  over: Boolean(document.querySelector(".end h2")),
  coins: [...document.querySelectorAll("#r-board [data-n]")].map((one) => one.dataset.n).join(),
});
let before = now();

// A card begins to fly, or the board changes, alone or with its page. Coins in the air are heard when their sums change.
const flies = (one) => one.target === document.body && [...one.addedNodes].some((made) => made.matches?.(".card.air, main"));
const isBoards = (one) => flies(one) || Boolean(one.target.closest("#r-board"));

new MutationObserver((changes) => {
  const was = before, is = (before = now());
  if (audio?.state !== "running" || document.querySelector(".sounds [aria-pressed=false]")) return;
  try {
    const at = audio.currentTime + 0.01;
    const moved = changes.some(isBoards);
    if (moved) (is.coins === was.coins ? card : coins)(at);
    if (is.over && !was.over) end(at + 0.15);
    else if (is.asked && !was.asked) turn(at + 0.15);
  } catch { audio = null; } // a table without sound is still a table
}).observe(document.body, { childList: true, subtree: true });
