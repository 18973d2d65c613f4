import { describe, expect, test } from 'vitest';
import { Message } from '../../test/ninep/message.ts';
import { createFile, mount } from '../../test/ninep/mount.ts';
import { LiveTree } from '../live/live-tree.ts';
import { NinePServer } from './ninep-server.ts';
import type { NinePState } from './ninep-state.ts';
import { openFlag } from './open-flags.ts';

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** A guest in the middle of things: an appending fid, a removed open file, a pending xattr, a list under way, a lock. */
function busyGuest() {
  const machine = mount();
  const { client, root } = machine;
  const log = createFile(client, root, 'log', { flags: openFlag.readWrite | openFlag.append });
  client.write(log, 0, 'one ');
  const removed = createFile(client, root, 'removed');
  client.write(removed, 0, 'unlinked');
  client.unlink(root, 'removed');
  const xattr = client.walk(root, 'log');
  client.send(new Message('xattrcreate').u32(xattr).text('user.a').u64(4).u32(0));
  client.write(xattr, 0, 'ab');
  client.lock(log, { type: 1, start: 0, length: 0, processId: 1, clientId: 'guest' });
  const named = client.walk(root, 'log');
  return { ...machine, log, removed, xattr, named };
}

function expectAllThere({ client, root, log, removed, xattr, named }: ReturnType<typeof busyGuest>): void {
  client.write(log, 0, 'two');
  expect(text(client.read(log, 0, 100))).toBe('one two');
  expect(text(client.read(removed, 0, 100))).toBe('unlinked');
  expect(client.getattr(removed).nlink).toBe(0);
  client.write(xattr, 2, 'cd');
  client.clunk(xattr);
  expect(text(client.getXattr(log, 'user.a'))).toBe('abcd');
  const asked = { type: 0, start: 5, length: 1, processId: 2, clientId: 'guest' };
  expect(client.getlock(removed, asked).type).toBe(2);
  const other = client.walk(root, 'log');
  client.open(other, openFlag.readOnly);
  expect(client.getlock(other, asked)).toMatchObject({ type: 1, processId: 1 });
  client.send(new Message('remove').u32(named));
  expect(() => client.walk(root, 'log')).toThrow('ENOENT');
}

describe('H-5 the session is part of a memory snapshot', () => {
  test('saved and restored together with the tree, everything goes on, twice', () => {
    const guest = busyGuest();
    const snapshot = guest.tree.snapshot();
    const state: NinePState = structuredClone(guest.server.saveState());
    expectAllThere(guest);
    for (let round = 0; round < 2; round++) {
      guest.tree.restore(snapshot);
      guest.server.restoreState(state);
      expectAllThere(guest);
    }
  });

  test('works on a fresh server over a fork of the tree, and neither knows of the other', () => {
    const guest = busyGuest();
    const tree = LiveTree.from(guest.tree.snapshot());
    const server = new NinePServer(tree);
    server.restoreState(guest.server.saveState());
    const read = (fid: number) => {
      const reply = server.handle(new Message('read').u32(fid).u64(0).u32(100).finish());
      return text(reply.subarray(11));
    };
    expectAllThere(guest);
    expect([read(guest.log), read(guest.removed)]).toEqual(['one ', 'unlinked']);
    const [server1, server2] = [guest.server, server];
    server1.reset();
    expect([server1.fidCount, read(guest.removed)]).toEqual([0, 'unlinked']);
    server2.reset();
    expect(tree.usage().usedInodes).toBe(2);
  });

  test('a later change of the server does not reach the saved state', () => {
    const guest = busyGuest();
    const state = guest.server.saveState();
    const before = structuredClone(state);
    expectAllThere(guest);
    guest.server.reset();
    expect(state).toEqual(before);
  });

  test('reset frees removed files and locks, and counts from zero', () => {
    const { server, tree, client } = busyGuest();
    server.reset();
    expect([server.fidCount, tree.usage().usedInodes]).toEqual([0, 2]);
    const root = client.attach(0);
    const fid = client.walk(root, 'log');
    client.open(fid, openFlag.readWrite);
    expect(client.lock(fid, { type: 1, start: 0, length: 0, processId: 7, clientId: 'guest' })).toBe(0);
  });

  test('a fid whose inode the tree does not have answers ENOENT; the others work', () => {
    const guest = busyGuest();
    const state = guest.server.saveState();
    guest.tree.restore(new LiveTree().snapshot());
    guest.server.restoreState(state);
    expect(() => guest.client.getattr(guest.log)).toThrow('ENOENT');
    expect(guest.client.getattr(guest.root).qid.path).toBe(1);
    guest.client.clunk(guest.log);
  });

  test('a state of another version or with missing parts is refused, and the session stays', () => {
    const { server, client, root } = busyGuest();
    const state = server.saveState();
    expect(() => server.restoreState({ ...state, version: 2 as 1 })).toThrow('version 2 is unknown');
    expect(() => server.restoreState({ ...state, names: [] })).toThrow('do not make 0 fids');
    expect(client.getattr(root).qid.path).toBe(1);
  });
});
