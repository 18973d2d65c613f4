import { defaultImage } from '../../protocol/sandbox/backend.ts';
import { PreferenceStore } from '../elements/model/preferences.ts';
import type { WhenShellFirst } from '../elements/model/shell-first.ts';
import { assetCacheName } from '../transports/asset-cache.ts';

/**
 * Whether a visit without a sandbox begins in a shell while its machine is downloaded: as the address says (`?start=shell` or
 * `?start=machine`), else as this person prefers, and never where the machine is in the browser's cache.
 */
export async function startsWithShell(search: string): Promise<WhenShellFirst> {
  const start = new URLSearchParams(search).get('start');
  if (start === 'shell') return 'always';
  const mayBe = start !== 'machine' && new PreferenceStore().value.shellFirst;
  return mayBe && !(await hasDefaultImage()) ? 'if-slow' : 'never';
}

async function hasDefaultImage(): Promise<boolean> {
  try {
    const cache = await caches.open(assetCacheName);
    const manifest = new URL(`images/${defaultImage}.json`, document.baseURI);
    return (await cache.match(manifest)) !== undefined;
  } catch {
    // Some browsers refuse it in private windows.
    return false;
  }
}
