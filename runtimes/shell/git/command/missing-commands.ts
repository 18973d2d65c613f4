import { GitCommandError } from './git-command-error.ts';

/** Where all of git is. */
export const inMachine =
  'A machine or a host has all of git: use one for this, or move there (Run in a machine; `RoutedShell`).';

/** What of git a shell does not have, and what does the same there. */
const remedies: Readonly<Record<string, string>> = {
  stash: 'Commit on a branch of its own instead: git switch -c work; git add -A; git commit -m work.',
  rebase: 'Merge instead (git merge BRANCH), or begin a branch anew from the other one.',
  'cherry-pick': 'Take its files: git restore --source COMMIT PATH; then commit.',
  revert: 'Put back its files: git restore --source COMMIT~1 PATH; then commit.',
  grep: 'Use grep -rn PATTERN, or rg PATTERN.',
  blame: 'Use git log -p -- PATH.',
  reflog: 'The history of the sandbox has every state: go back there.',
  apply: 'Use patch -p1 < FILE.',
  archive: 'Use tar, on a clone or on the files.',
  gc: 'Nothing has to be done.',
};

/** Other commands of real git that scripts call. */
const others = [
  ...['am', 'bisect', 'bundle', 'describe', 'difftool', 'fast-export', 'fast-import', 'filter-branch'],
  ...['for-each-ref', 'format-patch', 'fsck', 'hash-object', 'lfs', 'ls-remote', 'maintenance', 'mergetool'],
  ...['name-rev', 'notes', 'range-diff', 'repack', 'shortlog', 'show-ref', 'sparse-checkout', 'submodule'],
  ...['update-index', 'update-ref', 'worktree', 'write-tree', 'read-tree', 'count-objects', 'prune'],
];

/** For a command that is not here. One of real git is told from one that is none. */
export function missingCommand(name: string): GitCommandError {
  const remedy = Object.hasOwn(remedies, name) ? remedies[name] : undefined;
  if (remedy === undefined && !others.includes(name))
    return new GitCommandError(`git: '${name}' is not a git command. See 'git --help'.`, 1);
  const hints = remedy === undefined ? [inMachine] : [remedy, inMachine];
  const text = hints.map((hint) => `hint: ${hint}\n`).join('');
  return new GitCommandError(`git: the git of a shell has no '${name}'.\n${text}`, 1);
}
