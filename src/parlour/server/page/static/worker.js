// Keeps the styles and cards, the rule books and the lessons, and nothing else: no table, and no page about a person.
// The server writes VERSION and SHELL above this.
const KEPT = `parlour-${VERSION}`;
const forGood = (path) => /^\/(static|shelf)\//.test(path);
const toRead = (url) => !url.search && (SHELL.includes(url.pathname) || /^\/(rules|learn)\/[a-z_]+$/.test(url.pathname));

let kept = Promise.resolve();
const keep = () => (kept = kept.catch(() => {}).then(async () => (await caches.open(KEPT)).addAll(SHELL))); // the latest look comes last

addEventListener("install", (event) => event.waitUntil(keep().then(() => skipWaiting())));

addEventListener("activate", (event) => {
  const old = (name) => name.startsWith("parlour-") && name !== KEPT;
  event.waitUntil(caches.keys().then((names) => Promise.all(names.filter(old).map((name) => caches.delete(name)))).then(() => clients.claim()));
});

async function fetched(request) {
  const answer = await fetch(request);
  if (answer.ok && !answer.redirected) await (await caches.open(KEPT)).put(request, answer.clone());
  return answer;
}

addEventListener("fetch", (event) => {
  const { request } = event, url = new URL(request.url);
  if (request.method === "POST" && /^\/(theme|language|colours)$/.test(url.pathname)) { // pages look different from now on
    const answer = fetch(request);
    event.respondWith(answer);
    event.waitUntil(answer.then(keep).catch(() => {}));
  }
  if (request.method !== "GET" || url.origin !== location.origin) return;
  if (forGood(url.pathname)) event.respondWith(caches.match(request).then((found) => found ?? fetched(request)));
  else if (toRead(url)) event.respondWith(fetched(request).catch(async (lost) => (await caches.match(url.pathname)) ?? away(request, lost)));
  else if (request.mode === "navigate") event.respondWith(fetch(request).catch((lost) => away(request, lost)));
});

async function away(request, lost) {
  const page = request.mode === "navigate" && (await caches.match("/offline"));
  if (!page) throw lost;
  return page;
}
