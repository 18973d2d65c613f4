import { expect, test } from 'vitest';
import type { GoldenSession } from '../../../protocol/golden-session.ts';
import { LiveTree } from '../../../tree/live/live-tree.ts';
import { listFids } from '../../../tree/ninep/ninep-state.ts';
import { canResume, sessionState } from './golden-resume.ts';

const session: GoldenSession = {
  version: 1,
  messageBytes: 512_000,
  fids: [
    { fid: 1, path: '/', uid: 0, flags: -1, ino: 1 },
    { fid: 2, path: '/usr/bin/bash', uid: 1000, flags: 0, ino: 2 },
    { fid: 3, path: '/opt/gone', uid: 1000, flags: 0, ino: 3 },
  ],
  shown: '',
};

test.each([
  '/home/user/project/a.c',
  '/home/user/note',
  '/home/user/.gitconfig',
  '/home/user/.bash_history',
  '/home/user/.local/share/x',
  '/var/log/x',
  '/usr/local/bin/tool',
])('a shell that waits at its prompt goes on when %s has changed', (path) =>
  expect(canResume(session, [path])).toBe(true),
);

test.each([
  '/usr/bin/bash',
  '/etc/profile',
  '/home/user/.bashrc',
  '/home/user/.bash_profile',
  '/home/user/.bash_history.d',
  '/home/user/.local/bin/tool',
  '/usr/lib/i386-linux-gnu/libc.so.6',
  '/home/user',
  '/',
])('H-5 it does not when %s has changed: it has seen the old one', (path) =>
  expect(canResume(session, ['/home/user/note', path])).toBe(false),
);

test('fids follow their paths into another tree, and those of missing files are left out', () => {
  const tree = new LiveTree();
  const usr = tree.create(tree.root, 'usr', { mode: 0o040755, uid: 0, gid: 0 });
  const bin = tree.create(usr, 'bin', { mode: 0o040755, uid: 0, gid: 0 });
  const bash = tree.create(bin, 'bash', { mode: 0o100755, uid: 0, gid: 0 });
  expect(listFids(sessionState(session, tree))).toEqual([
    { fid: 1, ino: tree.root, uid: 0, flags: -1 },
    { fid: 2, ino: bash, uid: 1000, flags: 0 },
  ]);
});

test('a file that the guest holds keeps the number that it had in the image, and no other file has it', () => {
  const tree = new LiveTree();
  const file = (name: string) => tree.create(tree.root, name, { mode: 0o100644, uid: 0, gid: 0 });
  const other = file('other');
  const held = file('held');
  const fids = [{ fid: 1, path: '/held', uid: 0, flags: 0, ino: other }];
  const { renumbered } = sessionState({ ...session, fids }, tree);
  expect(new Map(renumbered)).toEqual(
    new Map([
      [held, other],
      [other, held],
    ]),
  );
});

test('an image that does not say which numbers its guest knows is resumed with its own files only', () => {
  const fids = session.fids.map(({ ino: _ino, ...fid }) => fid);
  expect(canResume({ ...session, fids }, ['/home/user/note'])).toBe(false);
  expect(canResume({ ...session, fids }, [])).toBe(true);
});
