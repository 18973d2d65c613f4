import type { GitCommit } from '../../../protocol/sandbox/git.ts';

/** One field after the other, each with a NUL after it. */
export const logFormat = '--format=tformat:%H%x00%P%x00%an%x00%ae%x00%at%x00%B';

/** What `git log -z` says in that format. */
export function parseLog(output: string): GitCommit[] {
  const commits: GitCommit[] = [];
  const fields = output.split('\0');
  for (let at = 0; at + 5 < fields.length; at += 6) {
    const [id = '', parents = '', name = '', email = '', seconds = '', message = ''] = fields.slice(
      at,
      at + 6,
    );
    commits.push({
      id,
      parents: parents === '' ? [] : parents.split(' '),
      message: message.trimEnd(),
      author: { name, email },
      authoredAtMs: Number(seconds) * 1_000,
    });
  }
  return commits;
}
