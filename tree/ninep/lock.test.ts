import { describe, expect, test } from 'vitest';
import { createFile, mount } from '../../test/ninep/mount.ts';
import type { LockRequest } from '../../test/ninep/ninep-client.ts';
import { openFlag } from './open-flags.ts';

const [read, write, unlock] = [0, 1, 2];
const [success, blocked, error] = [0, 1, 2];
const blocking = 1;

/** A file that two processes of one guest have open, and one of another. */
function shared() {
  const { server, client, root } = mount();
  createFile(client, root, 'f');
  const open = () => {
    const fid = client.walk(root, 'f');
    client.open(fid, openFlag.readWrite);
    return fid;
  };
  const ask = (process: { fid: number; processId: number; clientId?: string }) => {
    const { fid, processId, clientId = 'guest' } = process;
    return (type: number, start: LockRequest['start'], length: LockRequest['length'], flags = 0) =>
      client.lock(fid, { type, start, length, flags, processId, clientId });
  };
  return { server, client, root, open, ask };
}

describe('B-2 locks', () => {
  test('readers share, a writer is alone, per byte', () => {
    const { open, ask } = shared();
    const a = ask({ fid: open(), processId: 1 });
    const b = ask({ fid: open(), processId: 2 });
    expect([a(read, 0, 10), b(read, 5, 10)]).toEqual([success, success]);
    expect([b(write, 8, 1), b(write, 10, 5)]).toEqual([blocked, success]);
    expect(a(write, 0, 20, blocking)).toBe(blocked);
    expect([b(unlock, 0, 0), a(write, 0, 20, blocking)]).toEqual([success, success]);
    expect([b(read, 20, 0), b(read, 19, 1)]).toEqual([success, blocked]);
  });

  test('the same process id in another guest is someone else', () => {
    const { open, ask } = shared();
    const a = ask({ fid: open(), processId: 1 });
    const b = ask({ fid: open(), processId: 1, clientId: 'other' });
    expect([a(write, 0, 0), b(read, 100, 1)]).toEqual([success, blocked]);
  });

  test('a process replaces what it holds, and an unlock in the middle leaves both ends', () => {
    const { client, open, ask } = shared();
    const fid = open();
    const a = ask({ fid: open(), processId: 1 });
    expect([a(write, 0, 100), a(read, 20, 30), a(unlock, 60, 10)]).toEqual([success, success, success]);
    const probe = (start: number) =>
      client.getlock(fid, { type: write, start, length: 1, processId: 2, clientId: 'guest' });
    expect(probe(0)).toEqual({ type: write, start: 0, length: 20, processId: 1, clientId: 'guest' });
    expect(probe(20)).toMatchObject({ type: read, start: 20, length: 30 });
    expect(probe(50)).toMatchObject({ type: write, start: 50, length: 10 });
    expect(probe(65)).toEqual({ type: unlock, start: 65, length: 1, processId: 2, clientId: 'guest' });
    expect(probe(70)).toMatchObject({ type: write, start: 70, length: 30 });
  });

  test('neighbouring locks of one kind are one', () => {
    const { client, open, ask } = shared();
    const a = ask({ fid: open(), processId: 1 });
    for (const start of [1, 3, 2, 0]) a(write, start, 1);
    const held = client.getlock(open(), { type: read, start: 2, length: 1, processId: 2, clientId: 'guest' });
    expect(held).toMatchObject({ type: write, start: 0, length: 4 });
  });

  test('length 0 is to the end, however far; getlock says so', () => {
    const { client, open, ask } = shared();
    const a = ask({ fid: open(), processId: 1 });
    expect([a(write, 10, 0), a(write, 5, 2n ** 63n - 1n)]).toEqual([success, success]);
    const far = { type: read, start: 2 ** 50, length: 1, processId: 2, clientId: 'guest' };
    expect(client.getlock(open(), far)).toMatchObject({ type: write, start: 5, length: 0 });
    expect(() => a(write, 2n ** 63n, 1)).toThrow('EINVAL');
    expect(() => a(3, 0, 1)).toThrow('EINVAL');
  });

  test('Linux 6.1 asks getlock with type unlock: nothing is in the way of that', () => {
    const { client, open, ask } = shared();
    ask({ fid: open(), processId: 1 })(write, 0, 0);
    const asked = { type: unlock, start: 0, length: 0, processId: 2, clientId: 'guest' };
    expect(client.getlock(open(), asked)).toEqual(asked);
  });

  test('flock(1) in a shell: one child locks, another one upgrades, a third unlocks, all through one open file', () => {
    const { open, ask } = shared();
    const fid = open();
    const other = ask({ fid: open(), processId: 9 });
    expect(ask({ fid, processId: 1 })(read, 0, 0)).toBe(success);
    expect(ask({ fid, processId: 2 })(write, 0, 0)).toBe(success);
    expect(other(read, 0, 0)).toBe(blocked);
    expect(ask({ fid, processId: 3 })(unlock, 0, 0)).toBe(success);
    expect(other(read, 0, 0)).toBe(success);
  });

  test('what was locked through a fid goes with it', () => {
    const { client, open, ask } = shared();
    const fid = open();
    const other = ask({ fid: open(), processId: 2 });
    ask({ fid, processId: 1 })(write, 0, 0);
    expect(other(write, 0, 1)).toBe(blocked);
    client.clunk(fid);
    expect(other(write, 0, 1)).toBe(success);
  });

  test('too many locks are an error that leaves those there are', () => {
    const { open, ask } = shared();
    const a = ask({ fid: open(), processId: 1 });
    let granted = 0;
    while (granted < 5_000 && a(write, granted * 2, 1) === success) granted++;
    expect(granted).toBe(4_095);
    expect(a(write, 100_000, 1)).toBe(error);
    expect(ask({ fid: open(), processId: 2 })(write, 0, 1)).toBe(blocked);
    expect([a(unlock, 0, 0), a(write, 100_000, 1)]).toEqual([success, success]);
  });

  test('a lock wants an open fid', () => {
    const { client, root, ask } = shared();
    expect(() => ask({ fid: client.walk(root, 'f'), processId: 1 })(read, 0, 0)).toThrow('EBADF');
  });
});
