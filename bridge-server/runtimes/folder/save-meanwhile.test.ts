import {
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SandboxError } from '../../../protocol/errors.ts';
import { toByteString } from '../../../tree/content/byte-string.ts';
import { LiveTree } from '../../../tree/live/live-tree.ts';
import { FolderRules } from './folder-rules.ts';
import { noLook } from './last-look.ts';
import { OpenFolder } from './open-folder.ts';
import { readFolder } from './read-folder.ts';
import { writeFolder } from './write-folder.ts';

const none = () => false;
const rules = new FolderRules({ before: none, now: none });
const saved = 'what the user saves';
let root: string;
let folder: string;
const at = (path: string) => join(folder, path);

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'coppice-save-'));
  folder = join(root, 'work');
});

afterEach(() => rmSync(root, { recursive: true }));

/** A program that saves a file: what it does, one step after the other, each at some later instant of the write. */
interface Editor {
  readonly name: string;
  steps(path: string): readonly (() => void)[];
}

const descriptor = { fd: -1 };
const openFor = (path: string, flags: string) => {
  if (descriptor.fd >= 0) closeSync(descriptor.fd);
  descriptor.fd = -1;
  descriptor.fd = openSync(path, flags);
};
const write = () => void (descriptor.fd >= 0 && writeSync(descriptor.fd, saved));
const close = () => {
  if (descriptor.fd >= 0) closeSync(descriptor.fd);
  descriptor.fd = -1;
};
const editors: readonly Editor[] = [
  {
    name: 'saves by truncating and writing',
    steps: (path) => [() => openFor(path, 'w'), write, close],
  },
  {
    name: 'has the file open since before, and writes to it in place',
    steps: (path) => [
      () => openFor(path, 'r+'),
      () => descriptor.fd >= 0 && ftruncateSync(descriptor.fd),
      write,
      close,
    ],
  },
  {
    name: 'saves by renaming a new file',
    steps: (path) => [() => writeFileSync(`${path}.tmp`, saved), () => renameSync(`${path}.tmp`, path)],
  },
  {
    name: 'moves the old one away first, and writes a new one, as vim does',
    steps: (path) => [
      () => renameSync(path, `${path}~`),
      () => openFor(path, 'wx'),
      write,
      close,
      () => rmSync(`${path}~`, { force: true }),
    ],
  },
];

/** What a program does that finds a file gone. */
function attempt(step: () => void): boolean {
  try {
    step();
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && ['ENOENT', 'EEXIST'].includes(String(error.code)))
      return false;
    throw error;
  }
}

function everyText(): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
}

/** A folder at its second state, and the way to the first: files replaced, removed, made and in directories that go. */
async function makeFolder() {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(at('kept'), { recursive: true });
  for (const name of ['changed', 'kept/changed', 'lost', 'zlast']) writeFileSync(at(name), `old ${name}`);
  const tree = new LiveTree();
  const read = async () => {
    using opened = new OpenFolder(toByteString(folder));
    await readFolder(tree, { folder: opened, rules, since: noLook });
  };
  await read();
  const old = tree.snapshot();
  for (const name of ['changed', 'kept/changed', 'zlast']) writeFileSync(at(name), `newer ${name}`);
  rmSync(at('lost'));
  mkdirSync(at('made'));
  writeFileSync(at('made/file'), 'made');
  symlinkSync('made', at('link'));
  await read();
  return { tree, old, before: tree.snapshot() };
}

for (const { name, steps } of editors) {
  for (const path of ['changed', 'made/file', 'lost']) {
    test(`R-12 nothing is lost of what a program writes to /${path} while it is put back: it ${name}`, async () => {
      let refused = 0;
      for (let instant = 0, isOver = false; !isOver; instant++) {
        const { tree, old, before } = await makeFolder();
        const todo = [...steps(at(path))];
        let isSaved = true;
        let count = 0;
        tree.restore(old);
        const between = () => {
          const step = count++ >= instant ? todo.shift() : undefined;
          if (step && !attempt(step)) isSaved = false;
        };
        using opened = new OpenFolder(toByteString(folder));
        const options = {
          folder: opened,
          rules: rules.writeRules(none),
          before,
          probe: { between, processes: () => [process.pid], flush: none },
        };
        const error = await writeFolder(tree, options).then(
          () => undefined,
          (thrown) => SandboxError.from(thrown),
        );
        isOver = todo.length > 0;
        for (const step of todo) if (!attempt(step)) isSaved = false;
        close();
        const texts = everyText();
        if (isSaved) expect(texts, `instant ${instant}: ${error?.message}`).toContain(saved);
        if (error) expect(error.code, error.message).toBe('conflict');
        const left = readdirSync(folder, { recursive: true, encoding: 'utf8' });
        expect(left.filter((each) => each.includes('.coppice-'))).toEqual([]);
        for (const other of ['changed', 'kept/changed', 'zlast'].filter((each) => each !== path)) {
          expect(readFileSync(at(other), 'utf8')).toBe(`${error ? 'newer' : 'old'} ${other}`);
        }
        if (path !== 'made/file') expect(existsSync(at('made/file'))).toBe(Boolean(error));
        if (error) refused++;
      }
      // Of a file that is not there, it writes nothing.
      if (path !== 'lost' || !name.includes('since before')) expect(refused).toBeGreaterThan(0);
    });
  }
}

test('R-12 a file that a program saves where a directory is put back stays, and the write is a conflict', async () => {
  mkdirSync(at('lost'), { recursive: true });
  writeFileSync(at('lost/file'), 'old');
  using opened = new OpenFolder(toByteString(folder));
  const tree = new LiveTree();
  const read = () => readFolder(tree, { folder: opened, rules, since: noLook });
  await read();
  const old = tree.snapshot();
  rmSync(at('lost'), { recursive: true });
  await read();
  const before = tree.snapshot();
  tree.restore(old);
  const written = writeFolder(tree, {
    folder: opened,
    rules: rules.writeRules(none),
    before,
    probe: { between: () => writeFileSync(at('lost'), saved), processes: () => [], flush: none },
  });
  await expect(written).rejects.toMatchObject({ code: 'conflict', details: { path: 'lost' } });
  expect(readFileSync(at('lost'), 'utf8')).toBe(saved);
});
