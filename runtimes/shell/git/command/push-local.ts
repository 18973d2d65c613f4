import { addToReflog, noCommit } from '../../../../sandbox/git/library/reflog.ts';
import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import { fullRef, objectOf } from '../../../../sandbox/git/library/revisions.ts';
import { GitCommandError } from '../git-command-error.ts';
import type { GitCall } from './git-call.ts';
import { signatureLine } from './history-commit.ts';
import { shortRef } from './list-refs.ts';
import { copyObjects, openLocal, remoteRefs } from './local-remote.ts';
import { reachable } from './walk-history.ts';

/** What goes where: without an id, the ref there is removed. */
export interface PushedRef {
  readonly from: string;
  readonly oid: string | undefined;
  readonly to: string;
  readonly isForced: boolean;
}

interface Push {
  readonly remote: string;
  readonly url: string;
  readonly refs: readonly PushedRef[];
  readonly isLeased: boolean;
  readonly isDry: boolean;
  readonly isQuiet: boolean;
}

/** Sends refs to another repository of the sandbox. Answers whether all were taken. */
export async function pushLocal(
  git: GitCall,
  repository: Repository,
  { remote, url, refs, isLeased, isDry, isQuiet }: Push,
): Promise<boolean> {
  const target = await openLocal(git, url, git.directory);
  const known = new Map((await remoteRefs(target)).map(({ name, oid }) => [name, oid]));
  const lines: string[] = [];
  let isRefused = false;
  let isBehind = false;
  const current = target.isBare ? undefined : await target.repository.branch();
  for (const { from, oid, to, isForced } of refs) {
    const older = known.get(to);
    if (older === oid && oid !== undefined) continue;
    const name = `${shortRef(from)} -> ${shortRef(to)}`;
    const refuse = (why: string) => {
      isRefused = true;
      lines.push(` ! [rejected]        ${name} (${why})`);
    };
    if (oid === undefined && older === undefined)
      throw new GitCommandError(
        `error: unable to delete '${shortRef(to)}': remote ref does not exist\nerror: failed to push some refs to '${url}'`,
        1,
      );
    if (current !== undefined && to === `refs/heads/${current}`) {
      isRefused = true;
      lines.push(` ! [remote rejected] ${name} (branch is currently checked out)`);
      continue;
    }
    const isTag = to.startsWith('refs/tags/');
    if (isTag && older !== undefined && !isForced && oid !== undefined) {
      refuse('already exists');
      continue;
    }
    const tracking = to.startsWith('refs/heads/') ? `refs/remotes/${remote}/${to.slice(11)}` : undefined;
    if (isLeased && tracking !== undefined && older !== undefined) {
      const seen = await repository.library
        .resolveRef({ ...repository.at, ref: tracking })
        .catch(() => undefined);
      if (seen !== older) {
        refuse('stale info');
        continue;
      }
    }
    const isForward =
      older === undefined || oid === undefined || isTag || (await leadsTo(repository, oid, older));
    if (!isForward && !isForced && !isLeased) {
      isBehind = true;
      refuse((await isKnown(repository, older ?? '')) ? 'non-fast-forward' : 'fetch first');
      continue;
    }
    if (!isDry) await send(git, repository, { target: target.repository, to, oid, tracking });
    if (oid === undefined) lines.push(` - [deleted]         ${shortRef(to)}`);
    else if (older === undefined)
      lines.push(` * [new ${isTag ? 'tag' : 'branch'}]${isTag ? '   ' : ''}      ${name}`);
    else if (isForward) lines.push(`   ${older.slice(0, 7)}..${oid.slice(0, 7)}  ${name}`);
    else lines.push(` + ${older.slice(0, 7)}...${oid.slice(0, 7)} ${name} (forced update)`);
  }
  if (lines.length === 0) {
    if (!isQuiet) await git.warn('Everything up-to-date');
    return true;
  }
  const hint = isBehind
    ? "\nhint: Updates were rejected because the tip of your current branch is behind\nhint: its remote counterpart. Integrate the remote changes (e.g.\nhint: 'git pull ...') before pushing again.\nhint: See the 'Note about fast-forwards' in 'git push --help' for details."
    : '';
  if (!isQuiet || isRefused)
    await git.warn(
      [
        `To ${url}`,
        ...lines,
        ...(isRefused ? [`error: failed to push some refs to '${url}'${hint}`] : []),
      ].join('\n'),
    );
  return !isRefused;
}

async function send(
  git: GitCall,
  repository: Repository,
  {
    target,
    to,
    oid,
    tracking,
  }: {
    readonly target: Repository;
    readonly to: string;
    readonly oid: string | undefined;
    readonly tracking: string | undefined;
  },
): Promise<void> {
  const { library, at } = repository;
  const older =
    tracking === undefined
      ? undefined
      : await library.resolveRef({ ...at, ref: tracking }).catch(() => undefined);
  if (oid === undefined) {
    await library.deleteRef({ ...target.at, ref: to });
    if (tracking !== undefined && older !== undefined) await library.deleteRef({ ...at, ref: tracking });
    return;
  }
  await copyObjects(repository, target, [oid]);
  await library.writeRef({ ...target.at, ref: to, value: oid, force: true });
  if (tracking === undefined) return;
  await library.writeRef({ ...at, ref: tracking, value: oid, force: true });
  const by = signatureLine(await git.signature(repository, 'COMMITTER'));
  await addToReflog(repository, tracking, {
    older: older ?? noCommit,
    newer: oid,
    by,
    message: 'update by push',
  });
}

async function leadsTo(repository: Repository, oid: string, older: string): Promise<boolean> {
  return (await isKnown(repository, older)) && (await reachable(repository, [oid])).has(older);
}

async function isKnown(repository: Repository, oid: string): Promise<boolean> {
  return objectOf(repository, oid).then(
    () => true,
    () => false,
  );
}

/** What the words of `push` name: `topic`, `+HEAD:main`, `:gone`, a tag. @throws GitCommandError */
export async function pushedRefs(
  repository: Repository,
  specs: readonly string[],
  { isForced, deletes }: { readonly isForced: boolean; readonly deletes: boolean },
): Promise<PushedRef[]> {
  const branch = await repository.branch();
  const refs: PushedRef[] = [];
  for (const spec of specs) {
    const forced = isForced || spec.startsWith('+');
    const [source = '', target] = spec.replace(/^\+/, '').split(':');
    const full = async (name: string) => (name.startsWith('refs/') ? name : await fullRef(repository, name));
    if (deletes || source === '') {
      const name = deletes ? source : (target ?? '');
      refs.push({
        from: '',
        oid: undefined,
        to: name.startsWith('refs/') ? name : `refs/heads/${name}`,
        isForced: true,
      });
      continue;
    }
    const from =
      source === 'HEAD' && target === undefined
        ? `refs/heads/${branch ?? ''}`
        : ((await full(source)) ?? source);
    const object = await objectOf(repository, from).catch(() => {
      throw new GitCommandError(`error: src refspec ${source} does not match any`, 1);
    });
    const to =
      target === undefined
        ? from
        : target.startsWith('refs/')
          ? target
          : `${from.startsWith('refs/tags/') ? 'refs/tags' : 'refs/heads'}/${target}`;
    refs.push({
      from: source === 'HEAD' && target !== undefined ? 'HEAD' : from,
      oid: object.oid,
      to,
      isForced: forced,
    });
  }
  return refs;
}
