import { throwIfAborted } from '../../protocol/abort.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { GitCommit } from '../../protocol/sandbox/git.ts';
import type { SnapshotInfo } from '../../protocol/sandbox/history.ts';
import { historyLimits } from '../../tree/history/limits.ts';
import type { ExchangeOptions } from '../git.ts';
import type { Sandbox } from '../sandbox.ts';

export interface GitImportOptions extends ExchangeOptions {
  /** The absolute path of a working tree; with `url`, of one that is to be made. */
  readonly directory: string;
  /** A repository to clone there first. */
  readonly url?: string;
  /** How many commits, the newest: 100 by default, 1,000 at most. */
  readonly most?: number;
}

export interface GitImport {
  /** The snapshots by the ids of their commits, oldest first. */
  readonly snapshots: ReadonlyMap<string, SnapshotInfo['id']>;
  /** What the commits have and the snapshots do not: the files of submodules, by the paths of these. */
  readonly omitted: readonly { readonly path: string; readonly why: 'submodule' }[];
}

/**
 * Takes a snapshot of each commit that HEAD of a repository in the sandbox comes from, oldest first, by first parents:
 * each is checked out, which is a command of the history. The label of the snapshot after it has the commit's message,
 * author, time and id. They continue the sandbox's HEAD; in the end the working tree is where it was, whatever fails.
 * @throws conflict where files differ from HEAD, not-found, storage-full, read-only, aborted, and with `url` what a clone throws
 */
export async function importGit(sandbox: Sandbox, options: GitImportOptions): Promise<GitImport> {
  const { directory, url, most = limits.gitLogUsual, signal, ...exchange } = options;
  const what = `Cannot take snapshots of the commits in "${directory}"`;
  if (url !== undefined) {
    await sandbox.git.clone({ url, directory, depth: most, ...exchange, ...(signal ? { signal } : {}) });
  }
  const { branch, head, files } = await sandbox.git.status({ directory });
  if (files.some(({ staged, unstaged }) => staged !== 'unchanged' || unstaged !== 'untracked')) {
    throw new SandboxError('conflict', `${what}: files differ from HEAD`, {
      details: { remedy: 'Commit the changes first.' },
    });
  }
  const snapshots = new Map<string, SnapshotInfo['id']>();
  const submodules = new Set<string>();
  if (head === undefined) return { snapshots, omitted: [] };
  const commits = firstParents(await sandbox.git.log({ directory, most }), head);
  try {
    for (const commit of commits) {
      throwIfAborted(signal, what);
      await sandbox.git.checkout({ directory, ref: commit.id });
      for (const path of await submodulePaths(sandbox, directory)) submodules.add(path);
      const { id: snapshot } = await sandbox.createSnapshot({ label: labelOf(commit) });
      snapshots.set(commit.id, snapshot);
    }
  } finally {
    await sandbox.git.checkout({ directory, ref: branch ?? head });
  }
  const paths = [...submodules].sort().slice(0, limits.archiveMissing);
  return { snapshots, omitted: paths.map((path) => ({ path, why: 'submodule' })) };
}

/** The paths of submodules, by what is checked out: neither program nor library makes their files. */
async function submodulePaths(sandbox: Sandbox, directory: string): Promise<string[]> {
  const path = `${directory}/.gitmodules`;
  const info = await sandbox.files.stat(path).catch(() => undefined);
  if (info?.type !== 'file' || info.sizeBytes > limits.gitModulesBytes) return [];
  const text = await sandbox.files.read(path);
  return [...text.matchAll(/^[ \t]*path[ \t]*=[ \t]*(\S.*?)[ \t]*$/gm)].map(([, found = '']) => found);
}

/** Message, author, time and id of a commit; of a message that is too long, its start, without a part of a character. */
function labelOf({ id, message, author, authoredAtMs }: GitCommit): string {
  const person = `${author.name} <${author.email}>`.slice(0, limits.gitLineCharacters);
  // Git takes any number for a time.
  const time = new Date(authoredAtMs);
  const date = Number.isNaN(time.getTime()) ? '' : `Date: ${time.toISOString()}\n`;
  const facts = `\n\nAuthor: ${person}\n${date}Commit: ${id}`;
  const encoder = new TextEncoder();
  const roomBytes = historyLimits.textBytes - encoder.encode(facts).length;
  const start = encoder.encode(message).subarray(0, roomBytes);
  return `${new TextDecoder().decode(start, { stream: true })}${facts}`;
}

/** Oldest first. */
function firstParents(log: readonly GitCommit[], head: string): GitCommit[] {
  const byId = new Map(log.map((commit) => [commit.id, commit]));
  const commits: GitCommit[] = [];
  for (let at = byId.get(head); at && commits.length < log.length; at = byId.get(at.parents[0] ?? ''))
    commits.push(at);
  return commits.reverse();
}
