import { TreeFiles } from '../../shell/files/tree-files.ts';
import { encodeText } from '../../shell/text.ts';
import { LiveTree } from '../../tree/live/live-tree.ts';
import type { TreeSnapshot } from '../../tree/live/tree-snapshot.ts';
import { hostname, users } from './users.ts';

const directories = [
  ['/etc', 0o755],
  ['/home', 0o755],
  ['/opt', 0o755],
  ['/root', 0o700],
  ['/srv', 0o755],
  ['/tmp', 0o1777],
  ['/usr', 0o755],
  ['/usr/bin', 0o755],
  ['/usr/lib', 0o755],
  ['/usr/local', 0o755],
  ['/usr/local/bin', 0o755],
  ['/usr/sbin', 0o755],
  ['/usr/share', 0o755],
  ['/var', 0o755],
  ['/var/log', 0o755],
  ['/var/tmp', 0o1777],
] as const;

const links = [
  ['/bin', 'usr/bin'],
  ['/lib', 'usr/lib'],
  ['/sbin', 'usr/sbin'],
] as const;

const { user, root } = users;
const prompt = "PS1='\\u@\\h:\\w\\$ '\n";
const files = [
  ['/etc/hostname', `${hostname}\n`],
  ['/etc/hosts', `127.0.0.1\tlocalhost\n127.0.1.1\t${hostname}\n`],
  [
    '/etc/passwd',
    [root, user]
      .map(({ name, uid, gid, home }) => `${name}:x:${uid}:${gid}:${name}:${home}:/bin/bash\n`)
      .join(''),
  ],
  ['/etc/group', [root, user].map(({ name, gid }) => `${name}:x:${gid}:\n`).join('')],
  ['/etc/shells', '/bin/sh\n/bin/bash\n'],
  ['/etc/profile', `${prompt}[ -r /etc/bash.bashrc ] && . /etc/bash.bashrc\n`],
  ['/etc/bash.bashrc', `${prompt}alias ll='ls -l' la='ls -A'\n`],
] as const;

let made: TreeSnapshot | undefined;

/** What a sandbox of a shell begins with: the directories that scripts expect of Linux, and who there is. */
export function firstTree(): TreeSnapshot {
  made ??= makeFirstTree();
  return made;
}

function makeFirstTree(): TreeSnapshot {
  const tree = new LiveTree({ clock: () => ({ seconds: 0, nanoseconds: 0 }) });
  const at = new TreeFiles(tree);
  const creator = { uid: 0, gid: 0, umask: 0 };
  for (const [path, mode] of directories) at.mkdir(path, creator, mode);
  at.mkdir(user.home, { uid: user.uid, gid: user.gid, umask: 0 }, 0o755);
  for (const [path, target] of links) at.symlink(target, path, creator);
  for (const [path, text] of files) at.writeFile(path, encodeText(text), { ...creator, umask: 0o022 });
  return tree.snapshot();
}
