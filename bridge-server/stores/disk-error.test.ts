import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, test } from 'vitest';
import { SandboxError } from '../../protocol/errors.ts';
import { storeError } from '../../tree/log-store/store-error.ts';
import { diskError, translated } from './disk-error.ts';

const root = mkdtempSync(join(tmpdir(), 'coppice-disk-error-'));
afterAll(() => rmSync(root, { recursive: true }));

const errno = (code: string) => Object.assign(new Error(`${code}: it failed`), { code });

test.each([
  ['ENOSPC', 'storage-full', 'Cannot save: the disk is full'],
  ['EDQUOT', 'storage-full', 'Cannot save: the disk quota is used up'],
  ['EROFS', 'read-only', 'Cannot save: the file system is read-only. Mount it for writing'],
  ['EMFILE', 'limit-exceeded', 'Cannot save: this process has too many files open'],
  ['EIO', 'internal', 'Cannot save: EIO: it failed'],
  ['constructor', 'internal', 'Cannot save: constructor: it failed'],
])('%s of the system is %s', (name, code, message) => {
  const cause = errno(name);
  expect(diskError('save', cause)).toMatchObject({ code, message, cause, details: { name } });
});

test('what Node throws is told by what it did', () => {
  const read = (path: string) => () => translated('read it', () => readFileSync(path));
  expect(read(join(root, 'absent'))).toThrow(expect.objectContaining({ code: 'not-found' }));
  const make = () => translated('make it', () => mkdirSync(root));
  expect(make).toThrow(expect.objectContaining({ code: 'already-exists' }));
});

test('what SQLite throws is told by its primary result code', () => {
  const path = join(root, 'database');
  using first = new DatabaseSync(path);
  using second = new DatabaseSync(path, { timeout: 0 });
  first.exec('BEGIN EXCLUSIVE');
  const write = () => translated('write', () => second.exec('CREATE TABLE a (b)'));
  expect(write).toThrow(expect.objectContaining({ code: 'busy', details: { name: 'SQLITE_5' } }));
  const syntax = () => translated('write', () => second.exec('CREATE nothing'));
  expect(syntax).toThrow(expect.objectContaining({ code: 'internal' }));
});

test('an error of ours stays as it is, one of the tree becomes one of ours', () => {
  const ours = new SandboxError('busy', 'Cannot write: busy');
  expect(diskError('save', ours)).toBe(ours);
  const theirs = diskError('save', storeError('read-only', 'Cannot write: the store is read-only'));
  expect(theirs).toBeInstanceOf(SandboxError);
  expect(theirs).toMatchObject({ code: 'read-only', message: 'Cannot write: the store is read-only' });
});
