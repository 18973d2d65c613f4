import { describe, expect, test } from 'vitest';
import { hostileTars, tarOf } from '../../test/fixtures/hostile-tars.ts';
import type { TarEntry } from '../../tree/tar/tar-entry.ts';
import { TarParser } from '../../tree/tar/tar-parser.ts';
import { limits } from '../limits.ts';
import { plainTar } from './plain-tar.ts';
import { TarChecker } from './tar-checker.ts';

/** What passes of an archive that comes in pieces of `size`. */
async function pass(archive: Uint8Array, { size = 1_000, mostBytes = 10_000 } = {}): Promise<Uint8Array> {
  const checker = new TarChecker({ mostBytes });
  const passed: Uint8Array[] = [];
  const pieces = async function* () {
    for (let at = 0; at < archive.length; at += size) yield archive.subarray(at, at + size);
  };
  for await (const piece of plainTar(pieces())) passed.push(checker.push(piece));
  return Buffer.concat([...passed, checker.end()]);
}

interface Read extends Pick<TarEntry, 'type' | 'path' | 'permissions' | 'uid' | 'linkPath'> {
  readonly content: string;
}

function read(archive: Uint8Array): Read[] {
  const members: Read[] = [];
  let [entry, content]: [TarEntry | undefined, string] = [undefined, ''];
  const parser = new TarParser({
    entry: (next) => {
      [entry, content] = [next, ''];
    },
    data: (bytes) => {
      content += Buffer.from(bytes).toString();
    },
    end: () => {
      if (!entry) return;
      const { type, path, permissions, uid, linkPath } = entry;
      members.push({ type, path, permissions, uid, linkPath, content });
    },
  });
  parser.push(archive);
  parser.end();
  return members;
}

const gzip = async (bytes: Uint8Array): Promise<Uint8Array> => {
  const stream = new Blob([bytes.slice()]).stream().pipeThrough(new CompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
};

describe('an archive that nobody vouches for', () => {
  test.each(hostileTars)('B2 37 38: is refused for %s', async (_what, archive, said) => {
    await expect(pass(archive)).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringMatching(said),
    });
  });

  test('S-10 passes with its files, directories and links, and nothing that a user has no say in', async () => {
    const archive = tarOf(
      { type: 'directory', path: './', permissions: 0o700 },
      { path: './deep/er/file', content: 'text'.repeat(300), permissions: 0o4755, uid: 0 },
      { type: 'hardLink', path: 'again', linkPath: './deep/er/file' },
      { type: 'symlink', path: 'away', linkPath: '/etc/passwd', uid: 33 },
      { path: 'deep/er/file', content: 'newer' },
    );
    const file = { type: 'file', path: 'deep/er/file', permissions: 0o755, uid: 0, linkPath: '' } as const;
    const directory = { type: 'directory', permissions: 0o755, uid: 0, linkPath: '', content: '' } as const;
    for (const size of [7, 512, 100_000]) {
      expect(read(await pass(archive, { size }))).toEqual([
        { ...directory, path: 'deep' },
        { ...directory, path: 'deep/er' },
        { ...file, content: 'text'.repeat(300) },
        {
          ...file,
          type: 'hardLink',
          path: 'again',
          permissions: 0o644,
          linkPath: 'deep/er/file',
          content: '',
        },
        { ...file, type: 'symlink', path: 'away', permissions: 0o644, linkPath: '/etc/passwd', content: '' },
        { ...file, permissions: 0o644, content: 'newer' },
      ]);
      expect(await pass(await gzip(archive), { size })).toEqual(await pass(archive));
    }
  });

  test('B2 38: has as many bytes and members as are allowed, however small it comes', async () => {
    const zeros = tarOf({ path: 'zeros', content: '\0'.repeat(9_000) });
    await expect(pass(zeros, { mostBytes: 9_000 })).resolves.toHaveLength(zeros.length);
    await expect(pass(await gzip(zeros), { mostBytes: 8_999 })).rejects.toMatchObject({
      code: 'limit-exceeded',
      details: { limit: 8_999 },
    });
    await expect(pass(tarOf({ path: 'a', sizeBytes: 2 ** 40 }))).rejects.toMatchObject({
      code: 'limit-exceeded',
    });
    const checker = new TarChecker({ mostBytes: 0 });
    const many = () => {
      for (let index = 0; index <= limits.unpackEntries / 100; index++) {
        const names = Array.from({ length: 100 }, (_, name) => ({ path: `${index}-${name}` }));
        checker.push(tarOf(...names).subarray(0, -1_024));
      }
    };
    expect(many).toThrow(expect.objectContaining({ code: 'limit-exceeded' }));
  });

  test('B2 38: may fill its last record, and does not go on after its end', async () => {
    const archive = tarOf({ path: 'a' });
    const filled = Buffer.concat([archive, new Uint8Array(limits.archivePieceBytes - 1_000)]);
    expect(await pass(filled)).toHaveLength(archive.length);
    const endless = Buffer.concat([filled, new Uint8Array(2_000)]);
    await expect(pass(endless)).rejects.toMatchObject({
      message: expect.stringMatching(/goes on after its end/),
    });
  });

  test('H-8 lets go of where it comes from when it is refused, and passes on what that fails with', async () => {
    let returned = 0;
    const endless = async function* () {
      try {
        for (;;) yield tarOf({ path: '../out' });
      } finally {
        returned++;
      }
    };
    const checker = new TarChecker({ mostBytes: 10 });
    const feed = async (source: AsyncIterable<Uint8Array>) => {
      for await (const piece of plainTar(source)) checker.push(piece);
    };
    await expect(feed(endless())).rejects.toMatchObject({ code: 'invalid-argument' });
    expect(returned).toBe(1);
    const broken = async function* () {
      yield (await gzip(tarOf({ path: 'a' }))).subarray(0, 20);
      throw new TypeError('the line went dead');
    };
    await expect(feed(broken())).rejects.toMatchObject({ message: 'the line went dead' });
  });
});
