import { describe, expect, test } from 'vitest';
import { Message } from '../../test/ninep/message.ts';
import { createFile, list, mount } from '../../test/ninep/mount.ts';
import { openFlag } from './open-flags.ts';

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

describe('B-2 names', () => {
  test('link counts follow mkdir, link, unlink, rmdir and rename', () => {
    const { client, root } = mount();
    const nlink = (...names: string[]) => client.getattr(client.walk(root, ...names)).nlink;
    client.mkdir(root, 'd', { mode: 0o755 });
    createFile(client, root, 'f');
    expect([nlink(), nlink('d'), nlink('f')]).toEqual([3, 2, 1]);
    client.link(client.walk(root, 'd'), client.walk(root, 'f'), 'g');
    expect([nlink('f'), nlink('d', 'g')]).toEqual([2, 2]);
    expect(client.getattr(client.walk(root, 'd', 'g')).qid).toEqual(
      client.getattr(client.walk(root, 'f')).qid,
    );
    client.mkdir(root, 'e', { mode: 0o755 });
    client.renameat(root, 'd', client.walk(root, 'e'), 'd');
    expect([nlink(), nlink('e'), nlink('e', 'd')]).toEqual([3, 3, 2]);
    client.unlink(root, 'f');
    expect(nlink('e', 'd', 'g')).toBe(1);
  });

  test('a rename over a file replaces it, and who has the old one open keeps it', () => {
    const { client, root } = mount();
    const old = createFile(client, root, 'a');
    client.write(old, 0, 'old');
    client.write(createFile(client, root, 'b'), 0, 'new');
    client.renameat(root, 'b', root, 'a');
    expect(list(client, root).sort()).toEqual(['.', '..', 'a']);
    const fid = client.walk(root, 'a');
    client.open(fid, openFlag.readOnly);
    expect([text(client.read(fid, 0, 9)), text(client.read(old, 0, 9))]).toEqual(['new', 'old']);
    expect(client.getattr(old).nlink).toBe(0);
  });

  test('errors are those of rename(2), rmdir(2), unlink(2) and link(2)', () => {
    const { client, root } = mount();
    client.mkdir(root, 'full', { mode: 0o755 });
    client.mkdir(root, 'empty', { mode: 0o755 });
    const full = client.walk(root, 'full');
    client.mkdir(full, 'sub', { mode: 0o755 });
    createFile(client, root, 'f');
    const cases: [error: string, call: () => void][] = [
      ['EINVAL', () => client.renameat(root, 'full', client.walk(full, 'sub'), 'x')],
      ['ENOTEMPTY', () => client.renameat(root, 'empty', root, 'full')],
      ['EISDIR', () => client.renameat(root, 'f', root, 'empty')],
      ['ENOTDIR', () => client.renameat(root, 'empty', root, 'f')],
      ['ENOENT', () => client.renameat(root, 'none', root, 'x')],
      ['ENOTEMPTY', () => client.rmdir(root, 'full')],
      ['ENOTDIR', () => client.rmdir(root, 'f')],
      ['EISDIR', () => client.unlink(root, 'empty')],
      ['EINVAL', () => client.unlink(root, 'f', 1)],
      ['EPERM', () => client.link(root, full, 'x')],
      ['EEXIST', () => client.link(root, client.walk(root, 'f'), 'full')],
      ['EEXIST', () => client.mkdir(root, 'f', { mode: 0o755 })],
      ['EINVAL', () => client.mkdir(root, 'a/b', { mode: 0o755 })],
      ['EINVAL', () => client.mkdir(root, '..', { mode: 0o755 })],
      ['ENOTDIR', () => client.mkdir(client.walk(root, 'f'), 'x', { mode: 0o755 })],
      ['ENAMETOOLONG', () => client.mkdir(root, 'n'.repeat(256), { mode: 0o755 })],
    ];
    for (const [error, call] of cases) expect(call).toThrow(error);
    expect(list(client, root).sort()).toEqual(['.', '..', 'empty', 'f', 'full']);
  });

  test('a removed file that is open cannot get a name again', () => {
    const { client, root } = mount();
    const fid = createFile(client, root, 'f');
    client.unlink(root, 'f');
    expect(() => client.link(root, fid, 'g')).toThrow('ENOENT');
  });

  test('symlinks hold any target up to 4,095 bytes', () => {
    const { client, root } = mount();
    client.symlink(root, 'l', '../ü/nowhere');
    const fid = client.walk(root, 'l');
    expect(client.readlink(fid)).toBe('../ü/nowhere');
    expect(client.getattr(fid)).toMatchObject({ mode: 0o120777, sizeBytes: 13, qid: { type: 2 } });
    client.symlink(root, 'long', 'x'.repeat(4_095));
    expect(client.readlink(client.walk(root, 'long'))).toHaveLength(4_095);
    expect(() => client.symlink(root, 'm', 'x'.repeat(4_096))).toThrow('ENAMETOOLONG');
    expect(() => client.symlink(root, 'm', '')).toThrow('ENOENT');
    expect(() => client.readlink(root)).toThrow('EINVAL');
  });

  test('devices keep major and minor as Linux encodes them; directories are not made this way', () => {
    const { client, root } = mount();
    const rdev = (major: number, minor: number) => {
      client.mknod(root, `${major}.${minor}`, { mode: 0o20600, major, minor });
      return client.getattr(client.walk(root, `${major}.${minor}`)).rdev;
    };
    expect([rdev(1, 3), rdev(4_095, 0), rdev(8, 0xf_ff01)]).toEqual([0x103, 0xfff00, 0xfff00801]);
    expect(() => rdev(4_096, 0)).toThrow('EINVAL');
    client.mknod(root, 'fifo', { mode: 0o10600, major: 0, minor: 0 });
    client.mknod(root, 'socket', { mode: 0o140600, major: 0, minor: 0 });
    client.mknod(root, 'file', { mode: 0o100600, major: 0, minor: 0 });
    const mode = (name: string) => client.getattr(client.walk(root, name)).mode;
    expect([mode('fifo'), mode('socket'), mode('file')]).toEqual([0o10600, 0o140600, 0o100600]);
    expect(() => client.mknod(root, 'd', { mode: 0o40755, major: 0, minor: 0 })).toThrow('EPERM');
  });

  test('the old rename and remove go by the name that a fid was walked to', () => {
    const { server, client, root } = mount();
    createFile(client, root, 'f');
    client.mkdir(root, 'd', { mode: 0o755 });
    const directory = client.walk(root, 'd');
    const fid = client.walk(root, 'f');
    const stale = client.walk(root, 'f');
    client.send(new Message('rename').u32(fid).u32(directory).text('g'));
    expect([list(client, root).sort(), list(client, directory).sort()]).toEqual([
      ['.', '..', 'd'],
      ['.', '..', 'g'],
    ]);
    expect(() => client.send(new Message('rename').u32(stale).u32(root).text('h'))).toThrow('ENOENT');
    const before = server.fidCount;
    client.send(new Message('remove').u32(fid));
    expect(() => client.send(new Message('remove').u32(root))).toThrow('ENOENT');
    expect([list(client, directory).sort(), server.fidCount]).toEqual([['.', '..'], before - 2]);
  });
});

describe('B-2 directories', () => {
  test('entries carry kind, inode and a cookie to go on from', () => {
    const { client, root } = mount();
    client.mkdir(root, 'd', { mode: 0o755 });
    client.symlink(root, 'l', 'x');
    createFile(client, root, 'f');
    const fid = client.walk(root);
    client.open(fid, openFlag.readOnly);
    const entries = client.readdir(fid, 0);
    const kinds = Object.fromEntries(entries.map((entry) => [entry.name, entry.type]));
    expect(kinds).toEqual({ '.': 4, '..': 4, d: 4, l: 10, f: 8 });
    entries.forEach((entry, index) => {
      expect(client.readdir(fid, entry.offset).map((next) => next.name)).toEqual(
        entries.slice(index + 1).map((next) => next.name),
      );
    });
    const inode = entries.find((entry) => entry.name === 'f')?.qid.path;
    expect(inode).toBe(client.getattr(client.walk(root, 'f')).qid.path);
  });

  test('10,000 entries in small replies, half of them deleted and others made meanwhile', () => {
    const { client, root } = mount();
    const all = Array.from({ length: 10_000 }, (_, index) => `file-${index}`);
    for (const name of all) client.mknod(root, name, { mode: 0o100644, major: 0, minor: 0 });
    const kept = all.filter((_, index) => index % 2 === 0);
    const doomed = all.filter((_, index) => index % 2 === 1);
    const fid = client.walk(root);
    client.open(fid, openFlag.readOnly);
    const seen: string[] = [];
    for (let offset = 0; ; ) {
      const entries = client.readdir(fid, offset, 1_000);
      const last = entries.at(-1);
      if (last === undefined) break;
      seen.push(...entries.map((entry) => entry.name));
      offset = last.offset;
      for (const name of doomed.splice(0, 40)) client.unlink(root, name);
      client.mknod(root, `new-${seen.length}`, { mode: 0o100644, major: 0, minor: 0 });
    }
    expect(doomed).toEqual([]);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.filter((name) => name.startsWith('file-') && Number(name.slice(5)) % 2 === 0).sort()).toEqual(
      kept.sort(),
    );
  });

  test('rm -r: lists, deletes what it saw, lists on until nothing is left', () => {
    const { client, root } = mount();
    for (let index = 0; index < 500; index++) createFile(client, root, `f${index}`);
    const fid = client.walk(root);
    client.open(fid, openFlag.readOnly);
    for (let offset = 0; ; ) {
      const entries = client.readdir(fid, offset, 600);
      if (entries.length === 0) break;
      for (const { name } of entries) if (!name.startsWith('.')) client.unlink(root, name);
      offset = entries.at(-1)?.offset ?? 0;
    }
    expect(list(client, root)).toEqual(['.', '..']);
  });

  test('a reply too small for the next entry is EINVAL, not the end', () => {
    const { client, root } = mount();
    createFile(client, root, 'a-name-of-some-length');
    const fid = client.walk(root);
    client.open(fid, openFlag.readOnly);
    expect(() => client.readdir(fid, 2, 30)).toThrow('EINVAL');
    expect(client.readdir(fid, 2, 45)).toHaveLength(1);
  });

  test('wants an open directory', () => {
    const { client, root } = mount();
    expect(() => client.readdir(root, 0)).toThrow('EBADF');
    expect(() => client.readdir(createFile(client, root, 'f'), 0)).toThrow('ENOTDIR');
  });
});
