import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { type ByteString, toByteString } from '../../../tree/content/byte-string.ts';
import { LiveTree } from '../../../tree/live/live-tree.ts';
import { FolderRules, noRules } from './folder-rules.ts';
import { parseIgnoreRules } from './ignore-rules.ts';
import { type LastLook, noLook } from './last-look.ts';
import { OpenFolder } from './open-folder.ts';
import { type FolderLook, readFolder } from './read-folder.ts';

const tree = { now: new LiveTree() };
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-read-'));
  tree.now = new LiveTree();
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

const at = (path: string) => join(folder, path);

function write(path: string, text: string): void {
  mkdirSync(join(at(path), '..'), { recursive: true });
  writeFileSync(at(path), text);
  const packed = new Date('1985-10-26T08:15:00Z');
  utimesSync(at(path), packed, packed);
}

async function look(since: LastLook = noLook, isIgnored = noRules.isIgnored): Promise<FolderLook> {
  using opened = new OpenFolder(toByteString(folder));
  const rules = new FolderRules({ before: isIgnored, now: isIgnored });
  return await readFolder(tree.now, { folder: opened, rules, since });
}

/** As if it had begun long after all that was done before. */
function later({ directories }: FolderLook): LastLook {
  return { beganMs: Date.now() + 3_600_000, directories };
}

function find(path: ByteString): number {
  return path.split('/').reduce((ino, name) => tree.now.lookup(ino, name), tree.now.root);
}

function content(path: string): string {
  const bytes = Buffer.alloc(100);
  return bytes.toString('latin1', 0, tree.now.read(find(path), 0, bytes));
}

test('R-12 a directory that takes the place of another is read, though its files have the sizes and times of the others', async () => {
  write('one/below/package.json', '1.0.1');
  write('two/below/package.json', '1.0.2');
  const first = await look();
  renameSync(at('one'), at('three'));
  renameSync(at('two'), at('one'));
  renameSync(at('three'), at('two'));
  const second = await look(later(first));
  expect([content('one/below/package.json'), content('two/below/package.json')]).toEqual(['1.0.2', '1.0.1']);
  renameSync(at('one/below'), at('below'));
  renameSync(at('two/below'), at('one/below'));
  await look(later(second));
  expect(content('one/below/package.json')).toBe('1.0.1');
});

test('R-12 a file whose name a directory has that is left out is gone from the history', async () => {
  const isIgnored = parseIgnoreRules('build/');
  write('build', 'a file');
  await look(noLook, isIgnored);
  rmSync(at('build'));
  write('build/made', 'left out');
  await look(noLook, isIgnored);
  expect([find('build'), find('build/made')]).toEqual([0, 0]);
});

test('R-12 a path that is too long for a snapshot is named, with what helps', async () => {
  const names = Array.from({ length: 20 }, () => 'x'.repeat(250));
  // A path cannot be given whole that is longer than the kernel takes.
  execFileSync('sh', ['-ec', 'for name; do mkdir "$name"; cd -P "$name"; done', 'sh', ...names], {
    cwd: folder,
  });
  await expect(look()).rejects.toThrow(
    /a path of more than 4095 bytes or 1024 directories, \/x+…\. Name what/,
  );
});

test('R-12 a commit that git makes while a repository is read leaves no branch without its object', async () => {
  write('.git/objects/11', 'first');
  write('.git/refs/heads/main', '11');
  await look(noLook, (path) => {
    if (path === '.git/objects/11') {
      write('.git/objects/22', 'second');
      write('.git/refs/heads/main', '22');
    }
    return false;
  });
  const named = content('.git/refs/heads/main');
  expect(content(`.git/objects/${named}`)).toMatch(/^(first|second)$/);
});
