// Once the page is there, everything is fetched that is needed to read rules and lessons without a connection.
addEventListener("load", () => navigator.serviceWorker?.register("/worker.js").catch(() => {}));

// Guests may come while the reader looks at the front page, so the open tables are fetched again and again.
const EVERY = 20000;
const lobby = document.getElementById("lobby"), toast = document.getElementById("toast");
const waiting = () => [...lobby.querySelectorAll("[data-waits]")];
async function look() {
  const got = await fetch("/lobby").catch(() => null);
  if (!got?.ok || lobby.contains(document.activeElement)) return; // nothing must move away from under a finger
  const before = new Set(waiting().map((one) => one.dataset.waits));
  lobby.innerHTML = await got.text();
  const now = waiting(), come = now.find((one) => !before.has(one.dataset.waits));
  if (come) toast.replaceChildren(toast.dataset.says + " ", ...come.cloneNode(true).childNodes);
  else if (!now.length) toast.textContent = "";
  if (come && document.hidden) document.title = `• ${document.title}`;
}
if (lobby) setInterval(look, EVERY);

addEventListener("keydown", (event) => { // Escape closes the menu of appearance
  const menu = event.key === "Escape" && document.querySelector("details.looks[open]");
  if (menu) { menu.open = false; menu.firstElementChild.focus(); }
});
