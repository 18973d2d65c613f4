import { beforeEach, expect, test } from 'vitest';
import { TreeFiles } from '../../../shell/files/tree-files.ts';
import { LiveTree } from '../../../tree/live/live-tree.ts';
import { assertWritable } from './assert-writable.ts';

const creator = { uid: 0, gid: 0, umask: 0 };
let files: TreeFiles;
beforeEach(() => {
  files = new TreeFiles(new LiveTree());
  for (const path of ['/w', '/w/.git', '/w/src', '/out']) files.mkdir(path, creator);
  files.symlink('/out', '/w/link', creator);
  files.symlink('/w', '/way', creator);
});

test.each([
  '/w/file',
  '/w/src/new',
  '/w/.git/config',
  '/w/.git/refs/heads/.git',
  '/w/link',
  '/w/.gitignore',
  '/w/digit',
])('S-6 git may write %s of its working tree', (path) => {
  expect(() => assertWritable(files, path, '/w')).not.toThrow();
  expect(() => assertWritable(files, path.replace('/w', '/way'), '/way')).not.toThrow();
});

test.each([
  '/out/file',
  '/wide/file',
  '/w/../out/file',
  '/w/src/../../out/file',
  '/w//file',
  '/w/./file',
  '/w/link/file',
  '/w/a\0b',
  '/w/.GIT/config',
  '/w/src/.git/config',
  '/w/src/.Git',
  '/w/.git./config',
  '/w/.git /config',
  '/w/git~1/config',
  '/w/.git::$INDEX_ALLOCATION/config',
  '/w/.g\u200cit/config',
])('S-6 git may not write %j, whatever a repository says', (path) => {
  expect(() => assertWritable(files, path, '/w')).toThrow(
    expect.objectContaining({ code: 'invalid-argument' }),
  );
});
