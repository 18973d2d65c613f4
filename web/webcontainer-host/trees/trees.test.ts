import { expect, test } from 'vitest';
import { entriesOf, type FileEntry, packEntries } from './file-entries.ts';
import { matchPaths } from './match-paths.ts';
import { readMessagePack, writeMessagePack } from './message-pack.ts';
import { readTar, tarOf } from './tar-entries.ts';

const entries: FileEntry[] = [
  { path: 'in', type: 'directory' },
  { path: 'in/ü.txt', type: 'file', bytes: Uint8Array.of(1, 2, 255), isExecutable: true },
  { path: 'in/empty', type: 'file', bytes: new Uint8Array(0), isExecutable: false },
  { path: 'link', type: 'symlink', target: 'in/ü.txt' },
];

test('C-7 a tree goes through an archive and back with content, links and exec bits', async () => {
  expect(await readTar(tarOf(entries), () => true)).toEqual(entries);
  expect((await readTar(tarOf(entries), (path) => path.startsWith('in/'))).map(({ path }) => path)).toEqual([
    'in/ü.txt',
    'in/empty',
  ]);
});

test('C-7 a snapshot of @webcontainer/snapshot is read, and what is exported can be mounted again', () => {
  // As @msgpack/msgpack writes { d: { a: { f: { c: bytes } }, e: { d: {} } } }.
  const packed = Uint8Array.of(
    ...[0x81, 0xa1, 0x64, 0x82, 0xa1, 0x61, 0x81, 0xa1, 0x66, 0x81, 0xa1, 0x63, 0xc4, 2, 7, 8],
    ...[0xa1, 0x65, 0x81, 0xa1, 0x64, 0x80],
  );
  expect([...entriesOf(readMessagePack(packed))]).toEqual([
    { path: 'a', type: 'file', bytes: Uint8Array.of(7, 8) },
    { path: 'e', type: 'directory' },
  ]);
  const written = writeMessagePack(packEntries(entries, (bytes) => ({ c: bytes })));
  expect(
    [...entriesOf(readMessagePack(written))].map((entry) => ({ isExecutable: undefined, ...entry })),
  ).toEqual(entries.map((entry) => ({ ...entry, isExecutable: undefined })));
});

test('C-7 H-9 a hostile tree is refused with the entry’s name, and a file called __proto__ is a file', () => {
  const refused = (tree: unknown) => () => [...entriesOf(tree)];
  expect(refused({ d: { '..': { d: {} } } })).toThrow('".."');
  expect(refused({ d: { 'a/b': { f: { c: '' } } } })).toThrow('"a/b"');
  expect(refused({ d: { in: { d: { x: { f: {} } } } } })).toThrow('"in/x"');
  expect(refused([])).toThrow('directory');
  expect(() => readMessagePack(Uint8Array.of(0xdf, 255, 255, 255, 255))).toThrow('damaged');
  expect(() => readMessagePack(new Uint8Array(1_000).fill(0x91))).toThrow('damaged');
  const tree: unknown = JSON.parse('{"d":{"__proto__":{"f":{"c":"x"}}}}');
  const [entry] = entriesOf(tree);
  expect(entry).toMatchObject({ path: '__proto__', type: 'file' });
  expect(JSON.stringify(packEntries(entriesOf(tree), () => ({ c: 'x' })))).toBe(JSON.stringify(tree));
});

test('C-7 patterns name files, directories with what is in them, and any depth', () => {
  const matches = (pattern: string, path: string): boolean => matchPaths([pattern])(path);
  expect(matches('node_modules', 'node_modules/a/b.js')).toBe(true);
  expect(matches('**/*.log', 'deep/er/x.log')).toBe(true);
  expect(matches('**/*.log', 'x.log')).toBe(true);
  expect(matches('src/*.js', 'src/in/x.js')).toBe(false);
  expect(matches('./dist/**', 'dist/a/b')).toBe(true);
  expect(matches('a+(b)', 'a+(b)')).toBe(true);
  expect(matchPaths([])('x')).toBe(false);
});
