// Keeps the page for when there is no network. The network comes first, so that a new version is
// seen at once; the name of the cache changes with the page.
const CACHE = "tagstream-VERSION";
const FILES = ["./", "index.html"];

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES)));
  self.skipWaiting();
});

self.addEventListener("activate", (event) => {
  const old = (name) => name.startsWith("tagstream-") && name !== CACHE;
  const remove = async () => Promise.all((await caches.keys()).filter(old).map((name) => caches.delete(name)));
  event.waitUntil(remove().then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  const answer = async () => {
    try {
      return await fetch(event.request);
    } catch (error) {
      const kept = await caches.match(event.request, { ignoreSearch: true });
      if (kept) return kept;
      throw error;
    }
  };
  if (event.request.method === "GET") event.respondWith(answer());
});
