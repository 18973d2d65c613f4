import { describe, expect, test } from 'vitest';
import { Message } from '../../test/ninep/message.ts';
import { createFile, mount } from '../../test/ninep/mount.ts';

const createOnly = 1;
const replaceOnly = 2;
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('B-2 extended attributes', () => {
  test('set, get, list, replace, remove', () => {
    const { server, client, root } = mount();
    const fid = client.walk(root);
    const before = server.fidCount;
    client.setXattr(fid, 'user.a', bytes('one'));
    client.setXattr(fid, 'trusted.b', new Uint8Array(5_000).fill(9));
    expect(client.getXattr(fid, 'user.a')).toEqual(bytes('one'));
    expect(client.getXattr(fid, 'trusted.b')).toEqual(new Uint8Array(5_000).fill(9));
    expect(new TextDecoder().decode(client.getXattr(fid, ''))).toBe('user.a\0trusted.b\0');
    client.setXattr(fid, 'user.a', bytes('two'), replaceOnly);
    expect(client.getXattr(fid, 'user.a')).toEqual(bytes('two'));
    client.removeXattr(fid, 'user.a');
    expect(() => client.getXattr(fid, 'user.a')).toThrow('ENODATA');
    expect(server.fidCount).toBe(before);
  });

  test('flags are those of setxattr(2); an empty value is a value', () => {
    const { client, root } = mount();
    client.setXattr(root, 'user.empty', bytes(''), createOnly);
    expect(client.getXattr(root, 'user.empty')).toHaveLength(0);
    expect(() => client.setXattr(root, 'user.empty', bytes('x'), createOnly)).toThrow('EEXIST');
    expect(() => client.setXattr(root, 'user.none', bytes('x'), replaceOnly)).toThrow('ENODATA');
    expect(() => client.removeXattr(root, 'user.none')).toThrow('ENODATA');
    expect(() => client.setXattr(root, 'user.none', bytes('x'), 3)).toThrow('EINVAL');
  });

  test('a value counts when its fid is clunked, and only whole', () => {
    const { client, root } = mount();
    const start = (sizeBytes: number) => {
      const fid = client.walk(root);
      client.send(new Message('xattrcreate').u32(fid).text('user.a').u64(sizeBytes).u32(0));
      return fid;
    };
    const half = start(8);
    client.write(half, 0, 'half');
    expect(() => client.clunk(half)).toThrow('EINVAL');
    expect(() => client.getXattr(root, 'user.a')).toThrow('ENODATA');
    const whole = start(8);
    client.write(whole, 0, 'half');
    client.write(whole, 4, 'half');
    expect(() => client.getXattr(root, 'user.a')).toThrow('ENODATA');
    expect(() => client.write(whole, 8, 'x')).toThrow('ENOSPC');
    client.clunk(whole);
    expect(client.getXattr(root, 'user.a')).toEqual(bytes('halfhalf'));
    expect(() => client.write(start(8), 4, 'gap')).toThrow('EINVAL');
  });

  test('names and sizes are bounded, all pending values together too', () => {
    const { client, root } = mount();
    const start = (name: string, sizeBytes: number | bigint) =>
      client.send(new Message('xattrcreate').u32(client.walk(root)).text(name).u64(sizeBytes).u32(0));
    expect(() => start('', 1)).toThrow('ERANGE');
    expect(() => start('n'.repeat(256), 1)).toThrow('ERANGE');
    expect(() => start('user.a', 65_537)).toThrow('ERANGE');
    expect(() => start('user.a', 2n ** 63n)).toThrow('ERANGE');
    for (let index = 0; index < 64; index++) start('user.a', 65_536);
    expect(() => start('user.a', 1)).toThrow('ENOMEM');
  });

  test('a fid on an attribute is nothing else', () => {
    const { client, root } = mount();
    client.setXattr(root, 'user.a', bytes('one'));
    client.send(new Message('xattrwalk').u32(root).u32(700).text('user.a'));
    expect(() => client.write(700, 0, 'x')).toThrow('EBADF');
    expect(() => client.open(700, 0)).toThrow('EINVAL');
    expect(() => client.walk(700)).toThrow('EINVAL');
    expect(() => client.readdir(700, 0)).toThrow('EBADF');
    expect(() => client.send(new Message('xattrwalk').u32(700).u32(701).text(''))).toThrow('EINVAL');
    client.removeXattr(root, 'user.a');
    expect(client.read(700, 1, 100)).toEqual(bytes('ne'));
  });

  test('belong to the file and not to its name', () => {
    const { client, root } = mount();
    const fid = createFile(client, root, 'f');
    client.unlink(root, 'f');
    client.setXattr(fid, 'user.a', bytes('x'));
    expect(client.getXattr(fid, 'user.a')).toEqual(bytes('x'));
  });
});
