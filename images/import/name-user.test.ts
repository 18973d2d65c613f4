import { expect, test } from 'vitest';
import { LiveTree } from '../../tree/live/live-tree.ts';
import { nameUser } from './name-user.ts';

const regular = 0o100644;
const directory = 0o040755;
const root = { uid: 0, gid: 0 };
const time = { seconds: 1_600_000_000, nanoseconds: 5 };

/** A tree with these files in /etc. */
function treeWith(files: Readonly<Record<string, string>>): LiveTree {
  const tree = new LiveTree({ totalBytes: 1e9 });
  const etc = tree.create(tree.root, 'etc', { mode: directory, ...root });
  for (const [name, text] of Object.entries(files)) {
    const ino = tree.create(etc, name, { mode: regular, ...root });
    tree.write(ino, 0, new TextEncoder().encode(text));
    tree.setAttributes(ino, { mtime: time });
  }
  return tree;
}

function read(tree: LiveTree, name: string): string {
  const stat = tree.stat(tree.lookup(tree.lookup(tree.root, 'etc'), name));
  expect(stat).toMatchObject({ mtimeSeconds: time.seconds, mtimeNanoseconds: time.nanoseconds });
  const bytes = new Uint8Array(stat?.sizeBytes ?? 0);
  tree.read(stat?.ino ?? 0, 0, bytes);
  return new TextDecoder().decode(bytes);
}

test('R-1 the user of a root from elsewhere has a name, a home and a group', () => {
  const tree = treeWith({ passwd: 'root:x:0:0:root:/root:/bin/bash\n', group: 'root:x:0:' });
  nameUser(tree);
  expect(read(tree, 'passwd')).toBe(
    'root:x:0:0:root:/root:/bin/bash\nuser:*:1000:1000:user,,,:/home/user:/bin/sh\n',
  );
  expect(read(tree, 'group')).toBe('root:x:0:\nuser:x:1000:\n');
  nameUser(tree);
  expect(read(tree, 'group')).toBe('root:x:0:\nuser:x:1000:\n');
});

test.each(['user:x:500:500::/u:/bin/sh\n', 'ada:x:1000:1000::/home/ada:/bin/sh\n'])(
  'R-1 a root that has the name or the id keeps its users: %j',
  (passwd) => {
    const tree = treeWith({ passwd });
    nameUser(tree);
    expect(read(tree, 'passwd')).toBe(passwd);
  },
);
