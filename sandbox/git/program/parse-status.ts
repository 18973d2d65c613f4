import { limits } from '../../../protocol/limits.ts';
import type { GitChange, GitFileStatus, GitStatus } from '../../../protocol/sandbox/git.ts';

const changes: Readonly<Record<string, GitChange>> = {
  '.': 'unchanged',
  M: 'modified',
  // The type of a file, such as a link in its place.
  T: 'modified',
  A: 'added',
  D: 'deleted',
};

/** What `git status --porcelain=v2 -z --branch --no-renames` says. Entries of a kind that is not known are left out. */
export function parseStatus(output: string): GitStatus {
  const status: { head?: string; branch?: string } = {};
  const files: GitFileStatus[] = [];
  let more = 0;
  const put = (file: GitFileStatus) => (files.length < limits.gitStatusFiles ? files.push(file) : more++);
  for (const entry of output.split('\0')) {
    const [kind, ...fields] = entry.split(' ');
    if (kind === '#') {
      const [name, value = ''] = fields;
      if (name === 'branch.oid' && value !== '(initial)') status.head = value;
      if (name === 'branch.head' && value !== '(detached)') status.branch = value;
    } else if (kind === '?') {
      put({ path: entry.slice(2), staged: 'unchanged', unstaged: 'untracked' });
    } else if (kind === '1') {
      const [both = ''] = fields;
      const [staged, unstaged] = [changes[both[0] ?? ''], changes[both[1] ?? '']];
      if (staged && unstaged) put({ path: fields.slice(7).join(' '), staged, unstaged });
    } else if (kind === 'u') {
      put({ path: fields.slice(9).join(' '), staged: 'conflicted', unstaged: 'conflicted' });
    }
  }
  return { ...status, files: files.sort((a, b) => (a.path < b.path ? -1 : 1)), more };
}
