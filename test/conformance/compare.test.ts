import { beforeEach, describe, expect, test } from 'vitest';
import { restrictBackend } from '../../bridge-server/access/restrict-backend.ts';
import { LocalBackend } from '../../sandbox/backend/local-backend.ts';
import type { LoadedImage } from '../../sandbox/backend/runtime-driver.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { MemoryImageHost } from '../fixtures/memory-host.ts';
import { memoryImage, putFile } from '../fixtures/memory-image.ts';

let place = new MemoryImageHost({} as LoadedImage);
let backend = new LocalBackend(place);
let one: Sandbox;
let two: Sandbox;

const bytesOf = (text: string) => new TextEncoder().encode(text);
const write = (sandbox: Sandbox, name: string, text: string) => {
  const tree = place.trees.get(sandbox.id);
  if (!tree) throw new Error('It is not open');
  putFile(tree, name, bytesOf(text));
};
const paths = (changes: readonly { type: string; path: string }[]) =>
  changes.map(({ type, path }) => `${type} ${path}`);

beforeEach(async () => {
  place = new MemoryImageHost(await memoryImage());
  backend = new LocalBackend(place);
  one = await Sandbox.create({ backend });
  write(one, 'shared', 'before the fork');
  await one.createSnapshot({ label: 'begin' });
  await one.history.setTag('begin', await one.history.head());
  const [fork] = await one.fork({ from: 'begin' });
  if (!(fork instanceof Sandbox)) throw fork;
  two = fork;
});

describe('O-7 a diff between branches', () => {
  test('says what a snapshot of another sandbox has otherwise, of what was saved and of what was not', async () => {
    write(two, 'theirs', 'new there');
    write(two, 'shared', 'changed there');
    await two.createSnapshot();
    write(one, 'ours', 'in no snapshot yet');
    const head = { sandbox: two.id, snapshot: 'HEAD' };
    expect(paths(await one.diff('now', head))).toEqual([
      'deleted /ours',
      'modified /shared',
      'created /theirs',
    ]);
    expect(paths(await one.diff('begin', head))).toEqual(['modified /shared', 'created /theirs']);
    expect(paths(await two.diff('HEAD', { sandbox: one.id, snapshot: 'begin' }))).toEqual([
      'modified /shared',
      'deleted /theirs',
    ]);
  });

  test('needs no machine of the other, and finds its snapshots by the start of an id', async () => {
    write(two, 'theirs', 'x');
    const { id } = await two.createSnapshot();
    await two.close();
    const named = { sandbox: two.id, snapshot: id.slice(0, 12) };
    expect(paths(await one.diff('HEAD', named))).toEqual(['created /theirs']);
    const none = { sandbox: two.id, snapshot: 'nope' };
    await expect(one.diff('HEAD', none)).rejects.toMatchObject({ code: 'not-found' });
    const nowhere = { sandbox: 'nobody', snapshot: 'HEAD' };
    await expect(one.diff('HEAD', nowhere)).rejects.toMatchObject({ code: 'not-found' });
  });

  test('shows a token for one sandbox nothing of another', async () => {
    const granted = restrictBackend(backend, { scope: { sandboxes: [one.id] }, access: 'read' });
    const seen = await granted.open({ id: one.id }, () => {});
    const other = { sandbox: two.id, snapshot: 'HEAD' };
    await expect(seen.history.diff({ from: 'now', to: other })).rejects.toMatchObject({ code: 'not-found' });
    expect(await seen.history.diff({ from: 'now', to: { sandbox: one.id, snapshot: 'HEAD' } })).toEqual([]);
  });
});

describe('O-8 a snapshot that is named without its sandbox', () => {
  const all = { among: () => true };

  test('is found in the newest that has it, among those that are asked about', async () => {
    const shared = await one.history.head();
    expect(await backend.findSnapshot(shared, all)).toEqual({ sandbox: two.id, snapshot: shared });
    expect(await backend.findSnapshot(shared, { among: (id) => id === one.id })).toEqual({
      sandbox: one.id,
      snapshot: shared,
    });
    write(two, 'theirs', 'x');
    const { id } = await two.createSnapshot();
    expect(await backend.findSnapshot(id.slice(0, 12), all)).toEqual({ sandbox: two.id, snapshot: id });
    const unseen = backend.findSnapshot(id, { among: (sandbox) => sandbox === one.id });
    await expect(unseen).rejects.toMatchObject({ code: 'not-found' });
  });
});

describe('C-3 a reference to a snapshot', () => {
  test('begins a sandbox and an archive too', async () => {
    const made = await Sandbox.create({ backend, from: { sandbox: one.id, snapshot: 'begin' } });
    expect(await made.diff('HEAD', { sandbox: one.id, snapshot: 'begin' })).toEqual([]);
    const archive = await Sandbox.exportTar(one.id, { at: 'begin', backend });
    let text = '';
    for await (const piece of archive) text += new TextDecoder().decode(piece);
    expect(text).toContain('before the fork');
    const other = { from: { sandbox: one.id, snapshot: 'begin' }, image: 'another' };
    await expect(Sandbox.create({ backend, ...other })).rejects.toMatchObject({ code: 'invalid-argument' });
  });

  test('cannot be a tag that means something else', async () => {
    const head = await one.history.head();
    for (const name of ['HEAD', 'now', '0'.repeat(64)]) {
      await expect(one.history.setTag(name, head)).rejects.toMatchObject({ code: 'invalid-argument' });
    }
  });
});
