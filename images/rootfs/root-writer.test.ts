import { beforeEach, describe, expect, test } from 'vitest';
import { LiveTree } from '../../tree/live/live-tree.ts';
import { RootWriter } from './root-writer.ts';

let root: RootWriter;
beforeEach(() => {
  root = new RootWriter(new LiveTree({ clock: () => ({ seconds: 9, nanoseconds: 9 }) }));
  root.epochSeconds = 100;
});

function stat(path: string) {
  const view = root.tree.stat(root.find(path, { follow: false }));
  return view && { mode: view.mode.toString(8), uid: view.uid, gid: view.gid, mtime: view.mtimeSeconds };
}

describe('putting files into a root (O-11)', () => {
  test('files keep their own owner, bits and time; missing parents are made', () => {
    root.file('/usr/bin/su', 'x', { permissions: 0o4755, gid: 42, mtimeSeconds: 7 });
    root.finish();
    expect(stat('/usr/bin/su')).toEqual({ mode: '104755', uid: 0, gid: 42, mtime: 7 });
    expect(stat('/usr/bin')).toEqual({ mode: '40755', uid: 0, gid: 0, mtime: 100 });
  });

  test('what has no time of its own gets the newest of any package, whenever it was made (H-2)', () => {
    root.symlink('/lib', 'usr/lib');
    root.file('/etc/fstab', '');
    root.directory('/etc', { mtimeSeconds: 5 });
    root.epochSeconds = 200;
    root.finish();
    expect([stat('/lib')?.mtime, stat('/etc/fstab')?.mtime, stat('/etc')?.mtime, stat('/')?.mtime]).toEqual([
      200, 200, 5, 200,
    ]);
  });

  test('old paths are followed through links, as after the merge of /usr', () => {
    root.directory('/usr/lib');
    root.symlink('/lib', 'usr/lib');
    root.directory('/lib', { permissions: 0o755 });
    root.file('/lib/i386-linux-gnu/libc.so.6', 'elf');
    expect(root.read('/usr/lib/i386-linux-gnu/libc.so.6')).toBe('elf');
    expect(stat('/lib')?.mode).toBe('120777');
  });

  test('a link never leads out of the root, nor in a circle', () => {
    root.symlink('/up', '../../../../etc');
    root.file('/etc/passwd', 'inside');
    root.symlink('/a', '/b');
    root.symlink('/b', '/a');
    expect(root.read('/up/passwd')).toBe('inside');
    expect(root.find('/a')).toBe(0);
  });

  test('a file replaces a file or a link, not what the link points to', () => {
    root.file('/target', 'kept');
    root.symlink('/name', '/target');
    root.file('/name', 'new');
    expect([root.read('/target'), root.read('/name'), stat('/name')?.mode]).toEqual([
      'kept',
      'new',
      '100644',
    ]);
  });

  test('names are bytes: what is not ASCII is found again', () => {
    root.file('/Főtanúsítvány.crt', 'x');
    expect(root.list('/')).toEqual(['Főtanúsítvány.crt']);
    expect(root.read('/Főtanúsítvány.crt')).toBe('x');
  });

  test('hard links share a file, and need one', () => {
    root.file('/perl', 'x');
    root.hardlink('/perl5', '/perl');
    expect(root.find('/perl5')).toBe(root.find('/perl'));
    expect(() => root.hardlink('/x', '/missing')).toThrow('Cannot link /x to /missing');
  });

  test('a directory is not replaced by a file', () => {
    root.directory('/etc');
    expect(() => root.file('/etc', '')).toThrow('Cannot replace /etc in the image: errno 21');
  });
});
