import { describe, expect, test } from 'vitest';
import { createFile, mount } from '../../test/ninep/mount.ts';
import { LiveTree } from '../live/live-tree.ts';
import { openFlag } from './open-flags.ts';

describe('B-2 attributes', () => {
  test('setattr sets what is marked and leaves the rest', () => {
    const { client, root } = mount();
    const fid = createFile(client, root, 'f');
    client.setattr(fid, { uid: 1000, gid: 1001 });
    client.setattr(fid, { mode: 0o100751 });
    client.setattr(fid, { mtime: [1_700_000_000, 123_456_789] });
    expect(client.getattr(fid)).toMatchObject({
      mode: 0o100751,
      uid: 1000,
      gid: 1001,
      mtime: [1_700_000_000, 123_456_789],
    });
  });

  test('times: given ones to the nanosecond and before 1970, else the clock of the tree', () => {
    let seconds = 50;
    const { client, root } = mount(new LiveTree({ clock: () => ({ seconds, nanoseconds: 5 }) }));
    const fid = createFile(client, root, 'f');
    seconds = 60;
    client.setattr(fid, { atime: [-2, 999_999_999], mtime: 'now' });
    expect(client.getattr(fid)).toMatchObject({ atime: [-2, 999_999_999], mtime: [60, 5], ctime: [60, 5] });
    expect(() => client.setattr(fid, { atime: [0, 1_000_000_000] })).toThrow('EINVAL');
  });

  test('content that was written back late gets the times of its write; atime stays', () => {
    let seconds = 50;
    const { client, root } = mount(new LiveTree({ clock: () => ({ seconds, nanoseconds: 5 }) }));
    const fid = createFile(client, root, 'f');
    seconds = 60;
    client.write(fid, 0, 'late');
    client.setattr(fid, { mtime: [55, 1], ctime: [56, 2] });
    expect(client.getattr(fid)).toMatchObject({ atime: [50, 5], mtime: [55, 1], ctime: [56, 2] });
    expect(() => client.setattr(fid, { ctime: [0, 1_000_000_000] })).toThrow('EINVAL');
  });

  test('a truncation with given times leaves those times', () => {
    const { client, root } = mount();
    const fid = createFile(client, root, 'f');
    client.setattr(fid, { sizeBytes: 10, mtime: [5, 6] });
    expect(client.getattr(fid)).toMatchObject({ sizeBytes: 10, mtime: [5, 6] });
  });

  test('the qid never changes, since Linux with cache=loose would take the file for another', () => {
    const { client, root } = mount();
    const fid = createFile(client, root, 'f');
    const before = client.getattr(fid);
    client.write(fid, 0, 'x');
    client.setattr(fid, { mode: 0o600 });
    const after = client.getattr(fid);
    expect(after.qid).toEqual(before.qid);
    expect(after.dataVersion).toBeGreaterThan(before.dataVersion);
  });
});

describe('B-2 ownership and set-id', () => {
  test('a new file belongs to the user whose fid made it and the group that the client says', () => {
    const { client } = mount();
    const root = client.attach(1000);
    const fid = client.walk(root);
    client.create(fid, 'f', { flags: openFlag.readWrite, mode: 0o100640, gid: 100 });
    expect(client.getattr(fid)).toMatchObject({ mode: 0o100640, uid: 1000, gid: 100 });
  });

  test('who attaches without a number is nobody', () => {
    const { client } = mount();
    const root = client.attach(0xffff_ffff);
    client.mkdir(root, 'd', { mode: 0o755 });
    expect(client.getattr(client.walk(root, 'd')).uid).toBe(65_534);
  });

  test('a set-group-id directory passes on its group, and to directories the bit', () => {
    const { client, root } = mount();
    client.mkdir(root, 'd', { mode: 0o2775, gid: 50 });
    const directory = client.walk(root, 'd');
    client.mkdir(directory, 'sub', { mode: 0o755, gid: 7 });
    createFile(client, directory, 'f');
    expect(client.getattr(client.walk(directory, 'sub'))).toMatchObject({ mode: 0o42755, gid: 50 });
    expect(client.getattr(client.walk(directory, 'f'))).toMatchObject({ mode: 0o100644, gid: 50 });
  });

  test('a change of owner clears set-id bits, unless the same message gives a mode', () => {
    const { client, root } = mount();
    const fid = createFile(client, root, 'f', { mode: 0o106755 });
    client.setattr(fid, { uid: 5 });
    expect(client.getattr(fid).mode).toBe(0o100755);
    client.setattr(fid, { uid: 6, mode: 0o4755 });
    expect(client.getattr(fid).mode).toBe(0o104755);
    client.setattr(fid, { mode: 0o2644 });
    client.setattr(fid, { gid: 6 });
    expect(client.getattr(fid).mode).toBe(0o102644);
    client.mkdir(root, 'd', { mode: 0o2755 });
    client.setattr(client.walk(root, 'd'), { uid: 5 });
    expect(client.getattr(client.walk(root, 'd')).mode).toBe(0o42755);
  });

  test('a write by an ordinary user clears set-id bits, one by root does not', () => {
    const { client, root } = mount();
    const byRoot = createFile(client, root, 'f', { mode: 0o106777 });
    client.write(byRoot, 0, 'x');
    expect(client.getattr(byRoot).mode).toBe(0o106777);
    const byUser = client.walk(client.attach(1000), 'f');
    client.open(byUser, openFlag.writeOnly);
    client.write(byUser, 0, 'y');
    expect(client.getattr(byUser).mode).toBe(0o100777);
  });
});
