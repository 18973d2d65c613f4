import { describe, expect, test } from 'vitest';
import { Message } from '../../test/ninep/message.ts';
import { createFile, mount } from '../../test/ninep/mount.ts';
import { NinePClient } from '../../test/ninep/ninep-client.ts';
import { LiveTree } from '../live/live-tree.ts';
import { NinePServer } from './ninep-server.ts';
import { openFlag } from './open-flags.ts';

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const { readOnly, writeOnly, readWrite, append, exclusive, truncate } = openFlag;

describe('B-2 handshake', () => {
  test('the mount of Linux 6.1: version, attach as nobody, getattr, attach as root', () => {
    const server = new NinePServer(new LiveTree());
    const client = new NinePClient(server);
    client.attach(0xffff_ffff);
    const root = client.attach(0);
    expect(client.getattr(root)).toMatchObject({
      valid: 0x27ff,
      qid: { type: 0x80, version: 1, path: 1 },
      mode: 0o40755,
      nlink: 2,
    });
  });

  test('the smaller message size wins, 512,000 bytes at most', () => {
    const { client } = mount();
    const agree = (bytes: number) =>
      client.send(new Message('version', 0xffff).u32(bytes).text('9P2000.L')).u32();
    expect([agree(4_096), agree(262_144), agree(1_000_000)]).toEqual([4_096, 262_144, 512_000]);
    expect(() => agree(4_095)).toThrow('EINVAL');
  });

  test('another dialect is answered "unknown"', () => {
    const reply = mount().client.send(new Message('version', 0xffff).u32(8_192).text('9P2000.u'));
    expect([reply.u32(), reply.text()]).toEqual([8_192, 'unknown']);
  });

  test('a new version ends the session: fids are gone and removed files are freed', () => {
    const { tree, server, client, root } = mount();
    createFile(client, root, 'a');
    client.unlink(root, 'a');
    expect(tree.usage().usedInodes).toBe(2);
    client.send(new Message('version', 0xffff).u32(8_192).text('9P2000.L'));
    expect([server.fidCount, tree.usage().usedInodes]).toEqual([0, 1]);
    expect(() => client.getattr(root)).toThrow('EBADF');
  });

  test('auth is answered with the error by which clients know that none is needed, and they attach', () => {
    const { client, root } = mount();
    expect(() => client.send(new Message('auth').u32(9).text('root').text('').u32(0))).toThrow('ENOENT');
    const attach = new Message('attach').u32(9).u32(0xffff_ffff).text('root').text('').u32(0);
    expect(client.send(attach)).toMatchObject({ type: 105 });
    expect(client.getattr(9)).toEqual(client.getattr(root));
  });

  test('flush is answered, the tag comes back', () => {
    const { client } = mount();
    expect(client.send(new Message('flush', 0x1234).u16(7))).toMatchObject({ type: 109, tag: 0x1234 });
  });

  test('counters count requests by name', () => {
    const { server, client, root } = mount();
    client.getattr(root);
    client.getattr(root);
    expect(server.counters()).toMatchObject({ version: 1, attach: 1, getattr: 2, walk: 0 });
  });
});

describe('B-2 walk', () => {
  test('follows names, . and .., and stays at the root', () => {
    const { client, root } = mount();
    client.mkdir(root, 'a', { mode: 0o755 });
    client.mkdir(client.walk(root, 'a'), 'b', { mode: 0o755 });
    const inode = (...names: string[]) => client.getattr(client.walk(root, ...names)).qid.path;
    expect(inode('a', '.', 'b', '..', 'b')).toBe(inode('a', 'b'));
    expect(inode('a', '..', '..', '..')).toBe(1);
  });

  test('stops at a missing name: an error for the first one, else how far it went and no fid', () => {
    const { server, client, root } = mount();
    client.mkdir(root, 'a', { mode: 0o755 });
    const before = server.fidCount;
    expect(() => client.walk(root, 'x')).toThrow('ENOENT');
    const reply = client.send(new Message('walk').u32(root).u32(77).u16(3).text('a').text('x').text('y'));
    expect([reply.u16(), reply.remaining, server.fidCount]).toEqual([1, 13, before]);
    expect(() => client.getattr(77)).toThrow('EBADF');
  });

  test('moves a fid in place, and a fid number serves again after its clunk', () => {
    const { client, root } = mount();
    client.mkdir(root, 'a', { mode: 0o755 });
    const fid = client.walk(root);
    client.send(new Message('walk').u32(fid).u32(fid).u16(1).text('a'));
    expect(client.getattr(fid).qid).toEqual(client.getattr(client.walk(root, 'a')).qid);
    client.clunk(fid);
    expect(() => client.clunk(fid)).toThrow('EBADF');
    client.send(new Message('walk').u32(root).u32(fid).u16(0));
    expect(client.getattr(fid).qid.path).toBe(1);
    expect(() => client.send(new Message('walk').u32(root).u32(fid).u16(0))).toThrow('EINVAL');
  });

  test('says why: not a directory, name too long, more than 16 names', () => {
    const { client, root } = mount();
    createFile(client, root, 'f');
    expect(() => client.walk(client.walk(root, 'f'), 'x')).toThrow('ENOTDIR');
    expect(() => client.walk(root, 'n'.repeat(256))).toThrow('ENAMETOOLONG');
    expect(() => client.walk(root, ...new Array<string>(17).fill('.'))).toThrow('EINVAL');
  });

  test('names are bytes: UTF-8 and anything else', () => {
    const { client, root } = mount();
    client.mkdir(root, 'käse 🧀', { mode: 0o755 });
    expect(client.getattr(client.walk(root, 'käse 🧀')).mode).toBe(0o40755);
    const raw = new Message('mkdir').u32(root).u16(2).data(Uint8Array.of(0xff, 0xfe)).u32(0o755).u32(0);
    const made = client.send(raw).qid();
    const walk = new Message('walk').u32(root).u32(900).u16(1).u16(2).data(Uint8Array.of(0xff, 0xfe));
    client.send(walk);
    expect(client.getattr(900).qid).toEqual(made);
  });
});

describe('B-2 files', () => {
  test('write, read back, read past the end, leave a hole, truncate', () => {
    const { client, root } = mount();
    const fid = createFile(client, root, 'f');
    expect(client.write(fid, 0, 'hello world')).toBe(11);
    expect(text(client.read(fid, 6, 100))).toBe('world');
    expect(client.read(fid, 11, 100)).toHaveLength(0);
    client.write(fid, 1_000_000, 'end');
    expect(client.read(fid, 999_990, 100)).toEqual(
      Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 101, 110, 100),
    );
    expect(client.getattr(fid).blocks * 512).toBeLessThan(200_000);
    client.setattr(fid, { sizeBytes: 5 });
    client.setattr(fid, { sizeBytes: 8 });
    expect(text(client.read(fid, 0, 100))).toBe('hello\0\0\0');
  });

  test('offsets past 32 bits work, past 2^53 do not', () => {
    const { client, root } = mount();
    const fid = createFile(client, root, 'f');
    const far = 2 ** 40 + 3;
    client.write(fid, far, 'x');
    expect(client.getattr(fid).sizeBytes).toBe(far + 1);
    expect(text(client.read(fid, far, 10))).toBe('x');
    for (const offset of [2n ** 53n, 2n ** 63n, 2n ** 64n - 1n]) {
      expect(() => client.write(fid, offset, 'x')).toThrow('EFBIG');
      expect(() => client.read(fid, offset, 1)).toThrow('EINVAL');
      expect(() => client.setattr(fid, { sizeBytes: offset })).toThrow('EFBIG');
    }
  });

  test('a reply to read stays below the message size', () => {
    const { client, root } = mount();
    const fid = createFile(client, root, 'f');
    client.write(fid, 0, new Uint8Array(100_000).fill(7));
    expect(client.read(fid, 0, 0xffff_ffff)).toEqual(new Uint8Array(100_000).fill(7));
    client.setattr(fid, { sizeBytes: 1_000_000 });
    expect(client.read(fid, 0, 0xffff_ffff)).toHaveLength(262_144 - 24);
  });

  test('open modes are kept to, and a fid is opened once', () => {
    const { client, root } = mount();
    createFile(client, root, 'f');
    const open = (flags: number) => {
      const fid = client.walk(root, 'f');
      client.open(fid, flags);
      return fid;
    };
    expect(() => client.write(open(readOnly), 0, 'x')).toThrow('EBADF');
    expect(() => client.read(open(writeOnly), 0, 1)).toThrow('EBADF');
    expect(() => client.read(client.walk(root, 'f'), 0, 1)).toThrow('EBADF');
    expect(() => client.open(open(readOnly), readOnly)).toThrow('EINVAL');
  });

  test('O_TRUNC empties, O_APPEND writes at the end wherever it was sent, O_EXCL refuses an existing name', () => {
    const { client, root } = mount();
    const fid = createFile(client, root, 'f');
    client.write(fid, 0, 'one ');
    const appending = client.walk(root, 'f');
    client.open(appending, writeOnly | append);
    client.write(appending, 0, 'two');
    expect(text(client.read(fid, 0, 100))).toBe('one two');
    expect(() => createFile(client, root, 'f', { flags: writeOnly | exclusive })).toThrow('EEXIST');
    createFile(client, root, 'f', { flags: writeOnly });
    expect(client.getattr(fid).sizeBytes).toBe(7);
    client.open(client.walk(root, 'f'), writeOnly | truncate);
    expect(client.getattr(fid).sizeBytes).toBe(0);
  });

  test('directories open for reading only; symlinks, devices and fifos not at all', () => {
    const { client, root } = mount();
    client.symlink(root, 'l', 'f');
    client.mknod(root, 'p', { mode: 0o10644, major: 0, minor: 0 });
    createFile(client, root, 'f');
    const directory = client.walk(root);
    client.open(directory, readOnly);
    expect(() => client.open(client.walk(root), writeOnly)).toThrow('EISDIR');
    expect(() => client.read(directory, 0, 10)).toThrow('EISDIR');
    expect(() => client.open(client.walk(root, 'l'), readOnly)).toThrow('ELOOP');
    expect(() => client.open(client.walk(root, 'p'), readOnly)).toThrow('EOPNOTSUPP');
    expect(() => client.open(client.walk(root, 'f'), readOnly | openFlag.directory)).toThrow('ENOTDIR');
  });

  test('a removed file lives on while it is open: fstat, read, write, and a second fid of it', () => {
    const { tree, client, root } = mount();
    const fid = client.walk(root);
    client.create(fid, 'f', { flags: readWrite, mode: 0o100600 });
    client.write(fid, 0, 'still here');
    client.unlink(root, 'f');
    expect(() => client.walk(root, 'f')).toThrow('ENOENT');
    expect(client.getattr(fid)).toMatchObject({ nlink: 0, sizeBytes: 10 });
    expect(text(client.read(fid, 0, 100))).toBe('still here');
    client.write(fid, 10, '!');
    const again = client.walk(fid); // open("/proc/self/fd/3")
    client.clunk(fid);
    client.open(again, readOnly);
    expect(text(client.read(again, 0, 100))).toBe('still here!');
    expect(tree.usage().usedInodes).toBe(2);
    client.clunk(again);
    expect(tree.usage()).toMatchObject({ usedInodes: 1, usedBytes: 0 });
  });

  test('fsync wants a fid', () => {
    const { client, root } = mount();
    expect(client.send(new Message('fsync').u32(root).u32(0)).type).toBe(51);
    expect(() => client.send(new Message('fsync').u32(99).u32(0))).toThrow('EBADF');
  });
});

describe('B-2 limits of the disk', () => {
  test('a full disk answers ENOSPC and statfs tells the space', () => {
    const { client, root } = mount(new LiveTree({ totalBytes: 1_048_576, totalInodes: 3 }));
    const fid = createFile(client, root, 'f');
    client.write(fid, 0, new Uint8Array(131_072));
    expect(client.statfs(root)).toEqual({ blocks: 256, bfree: 224, files: 3, ffree: 1, nameBytes: 255 });
    client.write(fid, 131_072, new Uint8Array(200_000));
    expect(() => {
      for (let at = 0; at < 10; at++) client.write(fid, 400_000 + at * 131_072, new Uint8Array(131_072));
    }).toThrow('ENOSPC');
    createFile(client, root, 'g');
    expect(() => createFile(client, root, 'h')).toThrow('ENOSPC');
    client.unlink(root, 'g');
    client.setattr(fid, { sizeBytes: 0 });
  });

  test('a read-only tree answers EROFS to every change and serves reads', () => {
    const { tree, client, root } = mount();
    client.write(createFile(client, root, 'f'), 0, 'kept');
    tree.setReadOnly(true);
    const fid = client.walk(root, 'f');
    const changes: (() => void)[] = [
      () => client.open(client.walk(root, 'f'), writeOnly),
      () => client.open(client.walk(root, 'f'), readOnly | truncate),
      () => createFile(client, root, 'g'),
      () => client.mkdir(root, 'd', { mode: 0o755 }),
      () => client.symlink(root, 'l', 'f'),
      () => client.mknod(root, 'p', { mode: 0o10644, major: 0, minor: 0 }),
      () => client.link(root, fid, 'g'),
      () => client.unlink(root, 'f'),
      () => client.renameat(root, 'f', root, 'g'),
      () => client.setattr(fid, { mode: 0o600 }),
      () => client.setattr(fid, { sizeBytes: 0 }),
      () => client.setXattr(fid, 'user.a', Uint8Array.of(1)),
    ];
    for (const change of changes) expect(change).toThrow('EROFS');
    client.open(fid, readOnly);
    expect(text(client.read(fid, 0, 10))).toBe('kept');
  });
});
