import { afterEach, expect, test, vi } from 'vitest';
import { limits } from '../../../protocol/limits.ts';
import { HttpAssets } from './http-assets.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('S-1 a server that makes the image is asked again a few times a second at most, whatever it says', async () => {
  vi.useFakeTimers();
  const fetch = vi.fn(
    async () => new Response('Unpack packages\nmore', { status: 503, headers: { 'Retry-After': '0' } }),
  );
  vi.stubGlobal('fetch', fetch);
  const told: string[] = [];
  const assets = new HttpAssets(new URL('http://site.example/images/'), undefined, (text) => told.push(text));
  const made = assets.manifest({ name: 'debian' });
  await vi.advanceTimersByTimeAsync(10 * limits.imageMakingSoonestMs);
  expect(fetch).toHaveBeenCalledTimes(11);
  expect(new Set(told)).toEqual(new Set(['Unpack packages']));
  fetch.mockResolvedValue(new Response('', { status: 404 }));
  await Promise.all([
    expect(made).rejects.toMatchObject({ code: 'asset-unavailable' }),
    vi.advanceTimersByTimeAsync(limits.imageMakingLookMs),
  ]);
});
