// What somebody has chosen for this device: the screen stays on at a table, and it shakes when it is their turn.
"use strict";
const { wake: stays, shake } = document.currentScript.dataset;

async function awake() {
  if (document.visibilityState === "visible") await navigator.wakeLock?.request("screen").catch(() => {});
}
if (stays) { awake(); document.addEventListener("visibilitychange", awake); }

const mine = () => document.querySelector("#r-strip .mine") !== null;
let was = mine();
new MutationObserver(() => {
  const now = mine();
  if (shake && now && !was) navigator.vibrate?.([80, 60, 80]);
  was = now;
}).observe(document.getElementById("r-strip"), { childList: true, subtree: true });
