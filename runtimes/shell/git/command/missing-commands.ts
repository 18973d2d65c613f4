import { GitCommandError, NotInShellError } from '../git-command-error.ts';

/** What of git a shell does not have, and what does the same there. */
const remedies: Readonly<Record<string, string>> = {
  apply: 'Use patch -p1 < FILE.',
  archive: 'Use tar, on a clone or on the files.',
  gc: 'Nothing has to be done.',
};

/** Other commands of real git that scripts call. */
const others = [
  ...[
    'am',
    'bisect',
    'bundle',
    'cherry',
    'count-objects',
    'diff-index',
    'diff-tree',
    'difftool',
    'fast-export',
    'fast-import',
  ],
  ...[
    'filter-branch',
    'format-patch',
    'fsck',
    'lfs',
    'maintenance',
    'mergetool',
    'name-rev',
    'notes',
    'prune',
    'range-diff',
  ],
  ...[
    'read-tree',
    'repack',
    'replace',
    'rerere',
    'sparse-checkout',
    'submodule',
    'update-index',
    'var',
    'verify-commit',
    'whatchanged',
  ],
  ...[
    'worktree',
    'write-tree',
    'update-ref',
    'commit-tree',
    'mktree',
    'mktag',
    'diff-files',
    'checkout-index',
  ],
  ...[
    'check-attr',
    'check-ref-format',
    'check-mailmap',
    'merge-file',
    'merge-tree',
    'pack-objects',
    'pack-refs',
  ],
  ...[
    'patch-id',
    'stripspace',
    'interpret-trailers',
    'show-branch',
    'request-pull',
    'send-email',
    'verify-tag',
  ],
  ...[
    'verify-pack',
    'unpack-objects',
    'index-pack',
    'hook',
    'column',
    'credential',
    'daemon',
    'svn',
    'subtree',
  ],
];

/** For a command that is not here. One of real git is told from one that is none. */
export function missingCommand(name: string): GitCommandError {
  const remedy = Object.hasOwn(remedies, name) ? remedies[name] : undefined;
  if (remedy === undefined && !others.includes(name))
    return new GitCommandError(`git: '${name}' is not a git command. See 'git --help'.`, 1);
  const hint = remedy === undefined ? '' : `\nhint: ${remedy}`;
  return new NotInShellError(`git: the git of a shell has no '${name}'.${hint}`, 1);
}
