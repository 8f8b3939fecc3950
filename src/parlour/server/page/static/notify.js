// While a page is open, the browser tells a reader who has asked for it at which tables by post it is their turn.
"use strict";
{
  const KEY = "parlour-notify", EVERY = 60000; // milliseconds between two looks
  const able = isSecureContext && "Notification" in window;
  const isOn = () => able && Notification.permission === "granted" && localStorage.getItem(KEY) === "on";
  let known = null; // the tables where it was the reader's turn at the last look

  function show() {
    for (const place of document.querySelectorAll(".notify")) {
      const button = place.querySelector("[data-notify]");
      place.hidden = !able || Notification.permission === "denied";
      button.dataset.off ??= button.textContent;
      button.textContent = isOn() ? button.dataset.on : button.dataset.off;
      button.setAttribute("aria-pressed", String(isOn()));
    }
  }

  function tell(one) {
    const note = new Notification(one.title, { body: one.body, tag: `parlour-${one.code}`, icon: "/static/0/icon.svg" });
    note.onclick = () => { window.focus(); location = `/t/${one.code}`; };
  }

  async function look() {
    if (!isOn()) { known = null; return; }
    try {
      const got = await fetch("/you/turns", { headers: { Accept: "application/json" } });
      if (!got.ok) return;
      const turns = await got.json();
      for (const one of turns) if (known && !known.has(one.moment) && document.hidden) tell(one);
      known = new Set(turns.map((one) => one.moment));
    } catch { /* try again at the next look */ }
  }

  document.addEventListener("click", async (event) => {
    if (!event.target.closest?.("[data-notify]")) return;
    if (isOn()) localStorage.setItem(KEY, "off");
    else if (await Notification.requestPermission() === "granted") localStorage.setItem(KEY, "on");
    show();
    look();
  });
  new MutationObserver(show).observe(document.getElementById("r-people") ?? document.createElement("i"), { childList: true });
  show();
  look();
  setInterval(look, EVERY);
  document.addEventListener("visibilitychange", look);
}
