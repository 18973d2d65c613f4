import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { sampleObject } from '../../test/conformance/sample-objects.ts';
import { deleteHostStore, openHostStore } from './open-host-store.ts';

const root = mkdtempSync(join(tmpdir(), 'coppice-host-store-'));
afterAll(() => rmSync(root, { recursive: true }));

const a = sampleObject(1);
const newFolder = () => mkdtempSync(join(root, 'sandboxes-'));

/** Has another process try for the lock that SQLite takes: prints whether it got it. */
function otherProcessTakes(path: string): string {
  const program = `const { DatabaseSync } = require('node:sqlite');
    try { new DatabaseSync(process.argv[1]).exec('BEGIN EXCLUSIVE'); console.log('taken'); }
    catch (error) { console.log(error.errstr); }`;
  return execFileSync(process.execPath, ['-e', program, path], { encoding: 'utf8' }).trim();
}

describe('openHostStore', () => {
  test('refuses to open what is not there and to create what is', async () => {
    const folder = newFolder();
    await expect(openHostStore(folder, 'one')).rejects.toMatchObject({ code: 'not-found' });
    await expect(openHostStore(folder, 'one', { readOnly: true })).rejects.toMatchObject({
      code: 'not-found',
    });
    await using store = await openHostStore(folder, 'one', { create: true });
    expect(store.backend).toBe('files');
    await expect(openHostStore(folder, 'one', { create: true })).rejects.toMatchObject({
      code: 'already-exists',
    });
  });

  test('makes folders and files that no other user reads', async () => {
    const folder = join(newFolder(), 'state', 'sandboxes');
    await using _store = await openHostStore(folder, 'one', { create: true });
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, 'one')).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, 'one/log-1')).mode & 0o777).toBe(0o600);
  });

  test('B-3 a second writer is told that the sandbox is busy, a reader may look on', async () => {
    const folder = newFolder();
    await using writer = await openHostStore(folder, 'one', { create: true });
    await writer.commit({ objects: [a], refs: [{ name: 'head', value: a.id }] });
    await expect(openHostStore(folder, 'one')).rejects.toMatchObject({ code: 'busy' });
    expect(otherProcessTakes(join(folder, 'one/lock'))).toBe('database is locked');
    await using reader = await openHostStore(folder, 'one', { readOnly: true });
    expect(reader.ref('head')).toBe(a.id);
    await expect(reader.put([sampleObject(2)])).rejects.toMatchObject({ code: 'read-only' });
    await writer.sweep(new Set());
    expect(reader.readSync(a.id)).toEqual(a.bytes);
  });

  test('the right to write is given back with close, and a refused writer does not take it', async () => {
    const folder = newFolder();
    const first = await openHostStore(folder, 'one', { create: true });
    await expect(openHostStore(folder, 'one')).rejects.toMatchObject({ code: 'busy' });
    expect(otherProcessTakes(join(folder, 'one/lock'))).toBe('database is locked');
    await first.close();
    expect(otherProcessTakes(join(folder, 'one/lock'))).toBe('taken');
    await using second = await openHostStore(folder, 'one');
    expect(second.refs('')).toEqual([]);
  });

  test('a store of another version is refused, and the lock is free again', async () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'one'));
    writeFileSync(join(folder, 'one/log-1'), 'cop9');
    await expect(openHostStore(folder, 'one')).rejects.toMatchObject({ code: 'version-mismatch' });
    expect(otherProcessTakes(join(folder, 'one/lock'))).toBe('taken');
  });

  test('deletes a sandbox that nobody writes to, and all of it', async () => {
    const folder = newFolder();
    const store = await openHostStore(folder, 'one', { create: true });
    await store.put([a]);
    await expect(deleteHostStore(folder, 'one')).rejects.toMatchObject({ code: 'busy' });
    expect(existsSync(join(folder, 'one/log-1'))).toBe(true);
    await store.close();
    await deleteHostStore(folder, 'one');
    expect(readdirSync(folder)).toEqual([]);
    await expect(openHostStore(folder, 'one')).rejects.toMatchObject({ code: 'not-found' });
    await using again = await openHostStore(folder, 'one', { create: true });
    expect(await again.get(a.id)).toBeUndefined();
  });

  test('a deletion that a crash cut short is ended by the next one', async () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'removed.one.1/deep'), { recursive: true });
    await deleteHostStore(folder, 'one');
    expect(readdirSync(folder)).toEqual([]);
    await deleteHostStore(join(folder, 'absent'), 'one');
    expect(readdirSync(folder)).toEqual([]);
  });

  test('refuses ids that are not names', async () => {
    for (const bad of ['', '.', '..', '../x', 'a/b', 'a.b', 'x\0', 'x'.repeat(65)]) {
      await expect(openHostStore(root, bad, { create: true })).rejects.toMatchObject({
        code: 'invalid-argument',
      });
      await expect(deleteHostStore(root, bad)).rejects.toMatchObject({ code: 'invalid-argument' });
    }
  });
});
