import { asRecord } from '../../is-record.ts';
import { installLimits } from '../limits.ts';

/** What registries answered before, by address. A failure of it is no failure of an install. */
export interface PackageCache {
  get(url: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  put(url: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Deletes what is beyond the bounds, longest unused first. */
  trim(): Promise<void>;
}

const cacheName = 'coppice-npm';
/** An address that no package has. */
const indexUrl = 'https://index.invalid/';

type Index = Map<string, { readonly bytes: number; readonly usedMs: number }>;

/** In the Cache storage of this origin, where the browser has one. */
export async function openPackageCache(
  storage: CacheStorage | undefined,
  { mostBytes = installLimits.cacheBytes, mostEntries = installLimits.cacheEntries }: CacheBounds = {},
): Promise<PackageCache | undefined> {
  const cache = await storage?.open(cacheName).catch(() => undefined);
  if (!cache) return undefined;
  const used: Index = new Map();
  return {
    get: async (url) => {
      const answer = await cache.match(url).catch(() => undefined);
      if (!answer) return undefined;
      const bytes = new Uint8Array(await answer.arrayBuffer());
      used.set(url, { bytes: bytes.length, usedMs: Date.now() });
      return bytes;
    },
    put: async (url, bytes) => {
      if (bytes.length > mostBytes) return;
      used.set(url, { bytes: bytes.length, usedMs: Date.now() });
      await cache.put(url, new Response(bytes)).catch(() => undefined);
    },
    trim: () => trim(cache, { used, mostBytes, mostEntries }).catch(() => undefined),
  };
}

interface CacheBounds {
  readonly mostBytes?: number;
  readonly mostEntries?: number;
}

/** Another tab may do the same meanwhile: then entries that only one of both knows are deleted, and fetched again. */
async function trim(
  cache: Cache,
  { used, mostBytes, mostEntries }: Required<CacheBounds> & { readonly used: Index },
): Promise<void> {
  const index: Index = new Map([...(await readIndex(cache)), ...used]);
  const newestFirst = [...index].sort(([, a], [, b]) => b.usedMs - a.usedMs);
  const kept: Index = new Map();
  let total = 0;
  for (const [url, entry] of newestFirst) {
    total += entry.bytes;
    if (total > mostBytes || kept.size >= mostEntries) break;
    kept.set(url, entry);
  }
  for (const { url } of await cache.keys()) {
    if (url !== indexUrl && !kept.has(url)) await cache.delete(url);
  }
  await cache.put(indexUrl, new Response(JSON.stringify([...kept])));
}

async function readIndex(cache: Cache): Promise<Index> {
  const stored: unknown = await (await cache.match(indexUrl))?.json().catch(() => undefined);
  const index: Index = new Map();
  for (const item of Array.isArray(stored) ? stored : []) {
    const [url, entry] = Array.isArray(item) ? item : [];
    const { bytes, usedMs } = asRecord(entry);
    if (typeof url === 'string' && typeof bytes === 'number' && typeof usedMs === 'number')
      index.set(url, { bytes, usedMs });
  }
  return index;
}
