// What is needed to read rules and lessons without a connection is fetched once the page is there.
addEventListener("load", () => navigator.serviceWorker?.register("/worker.js").catch(() => {}));
