// Earlier sites had a worker of previews by this name at their own origin, where a page of another one could register it: it
// answers every address of this origin ever after. A browser looks for a newer version of it here and nowhere else, also
// where no page of ours is shown any more. This one takes its place, ends itself, and shows what was asked for. It touches
// none of what sandboxes are stored in, and no image, which a server may have no more.
addEventListener('install', function (event) {
  event.waitUntil(skipWaiting());
});
addEventListener('activate', function (event) {
  event.waitUntil(end());
});

async function end() {
  await registration.unregister();
  for (const name of await caches.keys()) if (name.startsWith('coppice-shell-')) await caches.delete(name);
  const pages = await clients.matchAll({ type: 'window', includeUncontrolled: true });
  for (const page of pages) if (page.frameType === 'top-level') page.navigate(page.url).catch(function () {});
}
