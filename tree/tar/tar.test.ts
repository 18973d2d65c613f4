import { describe, expect, test, vi } from 'vitest';
import { awkwardTree } from '../../test/tree/awkward-tree.ts';
import { describeTree } from '../../test/tree/describe-tree.ts';
import { LiveTree } from '../live/live-tree.ts';
import { sealTree } from '../objects/seal-tree.ts';
import { encodeTarHeader } from './encode-tar-header.ts';
import { extractTar, TarExtractor } from './extract-tar.ts';
import type { TarEntry } from './tar-entry.ts';
import { tarLimits } from './tar-limits.ts';
import { writeTar } from './write-tar.ts';

const text = new TextEncoder();

function member(entry: Partial<TarEntry>): Uint8Array {
  return encodeTarHeader({
    type: 'file',
    path: 'file',
    permissions: 0o644,
    uid: 0,
    gid: 0,
    mtimeSeconds: 0,
    mtimeNanoseconds: 0,
    sizeBytes: 0,
    linkPath: '',
    major: 0,
    minor: 0,
    xattrs: new Map(),
    ...entry,
  });
}

describe('tar (R-3)', () => {
  test('what goes out comes back with the same tree id, in pieces of any size', () => {
    const tree = awkwardTree();
    const archive = Buffer.concat([...writeTar(tree)]);
    for (const size of [1_000_000, 512, 7]) {
      const copy = new LiveTree();
      const extractor = new TarExtractor(copy);
      for (let at = 0; at < archive.length; at += size) extractor.push(archive.subarray(at, at + size));
      expect(extractor.end().entries).toBe(13);
      expect(describeTree(copy)).toEqual(describeTree(tree));
      expect(sealTree(copy.snapshot()).id).toBe(sealTree(tree.snapshot()).id);
    }
  });

  test('a socket is left out and named', () => {
    const tree = new LiveTree();
    tree.create(tree.root, 'socket', { mode: 0o140755, uid: 0, gid: 0 });
    const skipped: string[] = [];
    const archive = [...writeTar(tree, { onSkip: (path) => skipped.push(path) })];
    expect(skipped).toEqual(['socket']);
    expect(extractTar(new LiveTree(), archive).entries).toBe(1);
  });

  test('a path never leaves the tree: ".." is refused, "/" is dropped, symlinks end inside', () => {
    const tree = new LiveTree();
    expect(() => extractTar(tree, [member({ path: '../etc/passwd' })])).toThrow('its path has ".." in it');
    expect(() => extractTar(tree, [member({ type: 'hardLink', path: 'x', linkPath: 'a/../../b' })])).toThrow(
      '".."',
    );
    extractTar(tree, [
      member({ type: 'symlink', path: 'out', linkPath: '../../../outside' }),
      member({ type: 'directory', path: '/outside/' }),
      member({ path: 'out/file' }),
    ]);
    expect(describeTree(tree).map((one) => one.path)).toEqual(['', '/out', '/outside', '/outside/file']);
  });

  test('directories merge, files are replaced, and a directory is not replaced by a file', () => {
    const tree = new LiveTree();
    extractTar(tree, [
      member({ type: 'directory', path: 'd/' }),
      member({ path: 'd/a', sizeBytes: 3 }),
      block('one'),
    ]);
    extractTar(tree, [
      member({ type: 'directory', path: 'd/' }),
      member({ path: 'd/a', sizeBytes: 3 }),
      block('two'),
    ]);
    const bytes = new Uint8Array(3);
    tree.read(tree.lookup(tree.lookup(tree.root, 'd'), 'a'), 0, bytes);
    expect(new TextDecoder().decode(bytes)).toBe('two');
    expect(() => extractTar(tree, [member({ path: 'd' })])).toThrow('"d": EISDIR');
  });

  test('zeros are holes, which take no room: amid a file, and at its end', () => {
    const tree = new LiveTree();
    const content = new Uint8Array(3_000_000);
    content[1_000_000] = 1;
    const [before, amid, after] = [0, 1, 2].map((n) => content.subarray(n * 1_000_000, (n + 1) * 1_000_000));
    extractTar(tree, [
      member({ path: 'a', sizeBytes: 3_000_000 }),
      ...[before, amid, after].flatMap((piece) => piece ?? []),
      new Uint8Array(320),
    ]);
    const ino = tree.lookup(tree.root, 'a');
    const read = new Uint8Array(content.length + 1);
    expect(tree.read(ino, 0, read)).toBe(content.length);
    expect(read.subarray(0, content.length)).toEqual(content);
    expect(tree.stat(ino)?.allocatedBytes).toBeLessThan(1_500_000);
  });

  test('limits hold: members, bytes, the size of the tree, extended headers', () => {
    const two = [member({ path: 'a' }), member({ path: 'b' })];
    expect(() => extractTar(new LiveTree(), two, { maxEntries: 1 })).toThrow('more than 1 members');
    const big = [member({ path: 'a', sizeBytes: 2 ** 40 })];
    expect(() => extractTar(new LiveTree(), big, { maxBytes: 1000 })).toThrow(
      'with "a" it has more than 1000 bytes',
    );
    const file = [member({ path: 'a', sizeBytes: 100_000 }), new Uint8Array(100_352).fill(1)];
    expect(() => extractTar(new LiveTree({ totalBytes: 50_000 }), file)).toThrow('"a": ENOSPC');
    const long = member({ path: 'x'.repeat(2_000_000) });
    expect(() => extractTar(new LiveTree(), [long])).toThrow('an extended header has');
  });

  test('a member costs what its path is deep, not the square of that', () => {
    const tree = new LiveTree();
    const directory = Array.from({ length: 300 }, () => 'd').join('/');
    const lookup = vi.spyOn(tree, 'lookup');
    extractTar(tree, [member({ path: `${directory}/a` }), member({ path: `${directory}/b` })]);
    expect(lookup.mock.calls.length).toBeLessThan(1_000);
  });

  test('B2 47: an archive with more pax records than a member can need is refused', () => {
    const xattrs = (count: number) =>
      new Map(Array.from({ length: count }, (_, index) => [`user.${index}`, Uint8Array.of(1)]));
    const { paxRecords } = tarLimits;
    expect(extractTar(new LiveTree(), [member({ xattrs: xattrs(paxRecords) })]).entries).toBe(1);
    expect(() => extractTar(new LiveTree(), [member({ xattrs: xattrs(paxRecords + 1) })])).toThrow(
      'it has too many pax records',
    );
  });

  test('a damaged archive is refused: checksum, early end, malformed pax', () => {
    const header = member({ path: 'a', sizeBytes: 600 });
    expect(() => extractTar(new LiveTree(), [header, new Uint8Array(512)])).toThrow('it ends early');
    header[0] = 66;
    expect(() => extractTar(new LiveTree(), [header])).toThrow('checksum');
    const pax = member({ path: 'y'.repeat(150) });
    pax[512] = 0x39;
    expect(() => extractTar(new LiveTree(), [pax])).toThrow('a pax record is malformed');
  });
});

function block(content: string): Uint8Array {
  const bytes = new Uint8Array(512);
  bytes.set(text.encode(content));
  return bytes;
}
