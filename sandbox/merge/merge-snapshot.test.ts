import { beforeEach, describe, expect, test, vi } from 'vitest';
import { SandboxError } from '../../protocol/errors.ts';
import { commandsExtension } from '../../protocol/sandbox/ran-commands.ts';
import { History } from '../../tree/history/history.ts';
import type { SnapshotId, SnapshotRecord } from '../../tree/history/snapshot-record.ts';
import { ContentCache } from '../../tree/live/content-cache.ts';
import { fileMode } from '../../tree/live/file-mode.ts';
import { LiveTree } from '../../tree/live/live-tree.ts';
import { MemoryStore } from '../../tree/objects/memory-store.ts';
import { sealTree } from '../../tree/objects/seal-tree.ts';
import { Snapshotter } from '../capture/snapshotter.ts';
import { noImageObjects } from '../image-objects.ts';
import { ObjectSource } from '../object-source.ts';
import { type MergeParts, mergeSnapshot } from './merge-snapshot.ts';

describe('X-7 a merge in a history', () => {
  let store: MemoryStore;
  let parts: MergeParts;
  let base: SnapshotId;

  beforeEach(async () => {
    store = new MemoryStore();
    const source = new ObjectSource(store, noImageObjects);
    const content = new ContentCache(source, { budgetBytes: 0 });
    const tree = new LiveTree({ content, totalBytes: 1_000_000 });
    const { sealed } = sealTree(tree.snapshot());
    const history = History.open(store, { isElsewhere: () => false });
    const snapshotter = new Snapshotter({
      ...{ tree, history, source, content, sealed },
      base: () => sealed,
      begins: () => undefined,
    });
    parts = { history, snapshotter, tree, source, content };
    base = await save({ a: 'one\ntwo\nthree\n', b: 'b' });
  });

  function write(files: Readonly<Record<string, string>>): void {
    const { tree } = parts;
    for (const [name, text] of Object.entries(files)) {
      const found = tree.lookup(tree.root, name);
      const ino = found || tree.create(tree.root, name, { mode: fileMode.file | 0o644, uid: 0, gid: 0 });
      tree.truncate(ino, 0);
      tree.write(ino, 0, new TextEncoder().encode(text));
    }
  }

  async function save(
    files: Readonly<Record<string, string>>,
    extensions?: SnapshotRecord['extensions'],
  ): Promise<SnapshotId> {
    write(files);
    const extras = extensions && { extensions, objects: [], isIn: () => false };
    return (await parts.snapshotter.publish({ type: 'manual', label: '' }, { extras })).id;
  }

  async function goTo(id: SnapshotId): Promise<void> {
    parts.snapshotter.restore(id);
    await parts.history.moveHead(id);
  }

  function read(id: SnapshotId, name: string): string {
    const tree = parts.snapshotter.view(id);
    const ino = tree.lookup(tree.root, name);
    const bytes = new Uint8Array(tree.stat(ino)?.sizeBytes ?? 0);
    tree.read(ino, 0, bytes);
    return new TextDecoder().decode(bytes);
  }

  test('leaves HEAD and the files where they are, keeps what goes on here, and not what ran before', async () => {
    const theirs = await save({ a: 'one\ntwo\nTHREE\n' });
    await goTo(base);
    const text = 'state';
    const extensions = { other: { text, objects: [] }, [commandsExtension]: { text: '[]', objects: [] } };
    const ours = await save({ a: 'ONE\ntwo\nthree\n' }, extensions);
    const merged = await mergeSnapshot({ ours, theirs }, parts);
    expect(merged).toMatchObject({ outcome: 'merged', base, settled: [] });
    expect(parts.history.head).toBe(ours);
    expect(read(merged.id, 'a')).toBe('ONE\ntwo\nTHREE\n');
    const record = parts.history.get(merged.id);
    expect(record.parents).toEqual([ours, theirs]);
    expect(record.extensions).toEqual({ other: { text, objects: [] } });
    expect(record.changes).toMatchObject({ created: 0, modified: 1, deleted: 0 });
  });

  test('after branches were merged both ways, goes on from the newest ancestor of both', async () => {
    const left = await save({ left: '1' });
    await goTo(base);
    const right = await save({ right: '1' });
    const intoRight = await mergeSnapshot({ ours: right, theirs: left }, parts);
    const intoLeft = await mergeSnapshot({ ours: left, theirs: right }, parts);
    await goTo(intoRight.id);
    const ours = await save({ left: '2' });
    await goTo(intoLeft.id);
    const theirs = await save({ right: '2' });
    await goTo(ours);
    const merged = await mergeSnapshot({ ours, theirs, prefer: 'ours' }, parts);
    expect([left, right]).toContain(merged.base);
    expect(read(merged.id, 'left')).toBe('2');
    expect(['1', '2']).toContain(read(merged.id, 'right'));
  });

  test('H-4 a full store, a lost object and a disk that is too small refuse it, and nothing is published', async () => {
    const theirs = await save({ large: 'x'.repeat(300_000) });
    await goTo(base);
    const ours = await save({ also: 'y'.repeat(300_000) });
    const before = parts.history.list();
    const small = new LiveTree({ totalBytes: 400_000, content: parts.content });
    const tooSmall = mergeSnapshot({ ours, theirs }, { ...parts, tree: small });
    await expect(tooSmall).rejects.toMatchObject({ code: 'limit-exceeded', details: { path: '/large' } });
    const full = vi.spyOn(store, 'commit').mockRejectedValue(new SandboxError('storage-full', 'no room'));
    await expect(mergeSnapshot({ ours, theirs }, parts)).rejects.toMatchObject({ code: 'storage-full' });
    full.mockRestore();
    const kept = await parts.history.live();
    const { tree } = parts.history.get(theirs);
    await store.sweep(new Set([...kept].filter((id) => id !== tree)));
    await expect(mergeSnapshot({ ours, theirs }, parts)).rejects.toMatchObject({ code: 'missing-object' });
    expect(parts.history.list()).toEqual(before);
  });

  test('without a common ancestor says so', async () => {
    const ours = parts.history.head ?? base;
    const alone = { ...parts.history.get(base), takenAtMs: 1, parents: [] };
    const theirs = await parts.history.add(alone, { objects: [], moveHead: false });
    await expect(mergeSnapshot({ ours, theirs }, parts)).rejects.toMatchObject({
      code: 'not-found',
      message: /no common ancestor/,
    });
  });
});
