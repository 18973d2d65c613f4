import { deflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { limits } from '../../../protocol/limits.ts';
import { linkToSnapshotFile, linkWithSnapshot, readSharedSnapshot, unpackLink } from './share-link.ts';

const site = 'https://example.org/lab/?old=1#s=a';
const file = new TextEncoder().encode(`{"coppice":1,"name":"hello"}\n${'export '.repeat(2_000)}`);

test('X-7 a small snapshot goes into the fragment of a link, which no server sees, and comes out as it was', async () => {
  const link = new URL((await linkWithSnapshot(site, file)) ?? '');
  expect([link.origin + link.pathname, link.search, /^#state=[\w-]+$/.test(link.hash)]).toEqual([
    'https://example.org/lab/',
    '',
    true,
  ]);
  const shared = readSharedSnapshot(link);
  expect(shared?.type).toBe('link');
  expect(await unpackLink(shared?.type === 'link' ? shared.text : '')).toEqual(file);
});

test('X-7 one that is too large for a link makes none', async () => {
  const noise = crypto.getRandomValues(new Uint8Array(65_536));
  expect(await linkWithSnapshot(site, noise)).toBeUndefined();
  expect(await linkWithSnapshot(site, new Uint8Array(limits.sharedLinkUnpackedBytes + 1))).toBeUndefined();
});

test('X-7 a link to a file elsewhere names it whole', () => {
  const url = 'https://files.example.org/a.coppice?b=1&c=%20#d';
  const link = linkToSnapshotFile(site, url);
  expect(readSharedSnapshot(new URL(link))).toEqual({ type: 'file', url });
  expect(readSharedSnapshot(new URL('https://example.org/#s=a'))).toBeUndefined();
});

test('H-9 a link that unpacks to more than the limit is refused before it is unpacked', async () => {
  const bomb = deflateRawSync(Buffer.alloc(16_000_000)).toString('base64url');
  expect(bomb.length).toBeLessThan(limits.sharedLinkCharacters);
  await expect(unpackLink(bomb)).rejects.toMatchObject({ code: 'limit-exceeded' });
  const long = 'A'.repeat(limits.sharedLinkCharacters + 1);
  await expect(unpackLink(long)).rejects.toMatchObject({ code: 'limit-exceeded' });
});

test.each(['', '%', '<script>', 'AAAA', 'a', 'QUJD'.repeat(50)])(
  'H-9 what is no snapshot is refused by name: %j',
  async (text) => {
    await expect(unpackLink(text)).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining('Cannot open the link'),
    });
  },
);
