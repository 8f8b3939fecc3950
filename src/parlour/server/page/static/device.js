// What the reader has chosen for this device: that the screen stays on at a table, or that it shakes at their turn.
"use strict";
{
  const chosen = { ...document.currentScript.dataset }, strip = document.getElementById("r-strip");
  const news = new BroadcastChannel("device"); // the page with these choices tells tables in other tabs
  let lock, asking;

  const awake = async () => {
    if (chosen.wake && document.visibilityState === "visible" && (lock?.released ?? true))
      lock = await (asking ??= navigator.wakeLock?.request("screen").catch(() => {}).finally(() => { asking = undefined; }));
    if (!chosen.wake) lock?.release();
  };

  const watch = () => {
    const mine = () => strip.querySelector(".mine") !== null;
    let was = mine();
    new MutationObserver(() => {
      const now = mine();
      if (chosen.shake && now && !was) navigator.vibrate?.([80, 60, 80]);
      was = now;
    }).observe(strip, { childList: true, subtree: true });
    document.addEventListener("visibilitychange", awake);
    news.addEventListener("message", ({ data }) => { Object.assign(chosen, data); awake(); });
    awake();
  };

  if (strip) watch();
  else news.postMessage({ wake: "", shake: "", ...chosen });
}
