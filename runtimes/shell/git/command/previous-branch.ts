import type { GitFileCalls } from '../../../../sandbox/git/library/git-files.ts';
import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import type { GitCall } from './git-call.ts';
import { GitCommandError } from './git-command-error.ts';

/** Most of the log that is kept: it is written whole. */
const logCharacters = 64 * 1024;
const nothing = '0'.repeat(40);

/** The name that `-` is another word for: what was checked out before, by the log of HEAD. @throws GitCommandError */
export async function withoutDash(git: GitCall, name: string): Promise<string> {
  if (name !== '-') return name;
  const { at } = await git.open();
  const log = await readLog(at.fs.promises, at.dir);
  const [, before] = [...log.matchAll(/\tcheckout: moving from (\S+) to \S+$/gm)].at(-1) ?? [];
  if (before === undefined) throw new GitCommandError('fatal: invalid reference: @{-1}');
  return before;
}

/** Notes in the log of HEAD, as git does, from where to where it was moved. */
export async function noteCheckout(
  git: GitCall,
  repository: Repository,
  move: { readonly from: string; readonly to: string; readonly before: string | undefined },
): Promise<void> {
  const { at } = repository;
  const { promises } = at.fs;
  const { name = 'unknown', email = 'unknown' } = await repository.configuredAuthor();
  const after = (await repository.head()) ?? nothing;
  const when = `${Math.floor(Date.now() / 1_000)} +0000`;
  const line = `${move.before ?? nothing} ${after} ${name} <${email}> ${when}\tcheckout: moving from ${move.from} to ${move.to}\n`;
  const log = await readLog(promises, at.dir);
  const kept = `${log}${line}`.slice(-logCharacters);
  const whole = kept.length < logCharacters ? kept : kept.slice(kept.indexOf('\n') + 1);
  const directory = `${at.dir}/.git/logs`;
  if (!git.parts.files.isThere(directory)) await promises.mkdir(directory);
  await promises.writeFile(`${directory}/HEAD`, whole);
}

async function readLog(files: GitFileCalls, directory: string): Promise<string> {
  return String(await files.readFile(`${directory}/.git/logs/HEAD`, 'utf8').catch(() => ''));
}
