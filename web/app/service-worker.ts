import { assetCacheName } from '../transports/asset-cache.ts';
import { pageFile, routeRequest, shellCacheName } from './offline-routes.ts';

/** The few members of a service worker's global scope that this one uses (the DOM library has none). */
interface ServiceWorkerScope {
  readonly clients: { claim(): Promise<void> };
  readonly registration: { readonly scope: string };
  skipWaiting(): Promise<void>;
  addEventListener(type: 'install' | 'activate', listener: (event: ExtendableEvent) => void): void;
  addEventListener(type: 'fetch', listener: (event: FetchEvent) => void): void;
  addEventListener(type: 'message', listener: (event: MessageEvent) => void): void;
}
interface ExtendableEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface FetchEvent extends ExtendableEvent {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}

/** The files of this build, put here by the bundler; the text is another for another build. */
declare const __APP_SHELL__: { readonly version: string; readonly files: readonly string[] };

const worker = globalThis as unknown as ServiceWorkerScope;
const shellCache = shellCacheName(__APP_SHELL__.version);
/** Images that were used, newest last; past this the oldest go. */
const mostAssets = 4096;
/** A file is the same for whoever asks; servers that vary by Origin must not hide it from a module script. */
const anyone = { ignoreVary: true };

worker.addEventListener('install', (event) => event.waitUntil(keepShell()));
worker.addEventListener('activate', (event) => event.waitUntil(takeOver()));
worker.addEventListener('message', (event) => {
  if (event.data === 'activate') void worker.skipWaiting();
});
worker.addEventListener('fetch', (event) => {
  const route = routeRequest(event.request, worker.registration.scope);
  if (route === 'shell') event.respondWith(fromShell(event.request));
  else if (route === 'asset') event.respondWith(fromAssets(event.request));
  else if (route === 'manifest') event.respondWith(fromNetworkFirst(event.request));
});

async function keepShell(): Promise<void> {
  const cache = await caches.open(shellCache);
  await cache.addAll(['./', ...__APP_SHELL__.files]);
}

async function takeOver(): Promise<void> {
  for (const name of await caches.keys()) {
    if (name.startsWith(shellCacheName('')) && name !== shellCache) await caches.delete(name);
  }
  await worker.clients.claim();
}

/** The shell is one build: every file of it comes from the same cache, so no two builds mix. */
async function fromShell(request: Request): Promise<Response> {
  const cache = await caches.open(shellCache);
  const path = request.url.slice(worker.registration.scope.length).replace(/[?#].*/s, '');
  const wanted = request.mode === 'navigate' ? (pageFile(path) ?? request) : request;
  return (await cache.match(wanted, { ...anyone, ignoreSearch: true })) ?? fetch(request);
}

/** What is named by its digest never changes. */
async function fromAssets(request: Request): Promise<Response> {
  const cache = await caches.open(assetCacheName);
  const kept = await cache.match(request, anyone);
  if (kept !== undefined) return kept;
  const response = await fetch(request);
  if (response.ok) await keepAsset(cache, request, response.clone());
  return response;
}

async function fromNetworkFirst(request: Request): Promise<Response> {
  const cache = await caches.open(assetCacheName);
  try {
    const response = await fetch(request);
    if (response.ok) await cache.put(request, response.clone());
    return response;
  } catch (error) {
    const kept = await cache.match(request, anyone);
    if (kept !== undefined) return kept;
    throw error;
  }
}

/** Where storage is full the page still works; it only needs the network next time. */
async function keepAsset(cache: Cache, request: Request, response: Response): Promise<void> {
  try {
    await cache.put(request, response);
    const keys = await cache.keys();
    await Promise.all(keys.slice(0, Math.max(0, keys.length - mostAssets)).map((key) => cache.delete(key)));
  } catch (error) {
    if (!(error instanceof DOMException && error.name === 'QuotaExceededError')) throw error;
  }
}
