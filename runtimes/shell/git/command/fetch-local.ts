import { initializeRepository } from '../../../../sandbox/git/library/initialize-repository.ts';
import { addToReflog, noCommit } from '../../../../sandbox/git/library/reflog.ts';
import { emptyTree, Repository } from '../../../../sandbox/git/library/repository.ts';
import { objectOf } from '../../../../sandbox/git/library/revisions.ts';
import { absolutePath } from '../../../../shell/files/absolute-path.ts';
import { GitCommandError } from '../git-command-error.ts';
import { setUpstream } from './branch-command.ts';
import type { GitCall } from './git-call.ts';
import { signatureLine } from './history-commit.ts';
import { listRefs, type Ref, shortRef } from './list-refs.ts';
import { copyObjects, type LocalRemote, openLocal, remoteRefs } from './local-remote.ts';
import { moveHead } from './move-ref.ts';
import { writeStateFile } from './operation-state.ts';
import { switchTree } from './switch-tree.ts';
import { reachable } from './walk-history.ts';

interface Fetch {
  readonly remote: string;
  readonly url: string;
  /** Branches; all by default. */
  readonly branches?: readonly string[];
  readonly prunes?: boolean;
  readonly allTags?: boolean;
  readonly isQuiet?: boolean;
}

/** Brings the branches of another repository of the sandbox, and the tags of what came. */
export async function fetchLocal(git: GitCall, repository: Repository, ask: Fetch): Promise<void> {
  const { remote, url, branches = [], isQuiet = false } = ask;
  const source = await openLocal(git, url, git.directory);
  const refs = await remoteRefs(source);
  const wanted = refs.filter(
    ({ name }) =>
      name.startsWith('refs/heads/') && (branches.length === 0 || branches.includes(name.slice(11))),
  );
  for (const branch of branches)
    if (!wanted.some(({ name }) => name === `refs/heads/${branch}`))
      throw new GitCommandError(`fatal: couldn't find remote ref ${branch}`);
  await copyObjects(
    source.repository,
    repository,
    wanted.map(({ oid }) => oid),
  );
  const lines: string[] = [];
  for (const { name, oid } of wanted)
    lines.push(
      ...(await update(git, repository, { ref: `refs/remotes/${remote}/${name.slice(11)}`, name, oid })),
    );
  lines.push(...(await followTags(repository, source, { refs, isAll: ask.allTags ?? false })));
  if (ask.prunes) {
    for (const { name } of await listRefs(repository, `refs/remotes/${remote}`)) {
      const branch = name.slice(`refs/remotes/${remote}/`.length);
      if (branch === 'HEAD' || refs.some((each) => each.name === `refs/heads/${branch}`)) continue;
      await repository.library.deleteRef({ ...repository.at, ref: name });
      lines.push(` - [deleted]         (none)     -> ${remote}/${branch}`);
    }
  }
  const merged = branches.length > 0 ? branches[0] : await repository.branch();
  const heads = wanted.map(
    ({ name, oid }) =>
      `${oid}\t${name.slice(11) === merged ? '' : 'not-for-merge'}\tbranch '${name.slice(11)}' of ${url}\n`,
  );
  await writeStateFile(repository, 'FETCH_HEAD', heads.join(''));
  if (lines.length > 0 && !isQuiet)
    await git.warn([`From ${url.replace(/\.git$/, '')}`, ...lines].join('\n'));
}

async function update(
  git: GitCall,
  repository: Repository,
  { ref, name, oid }: { readonly ref: string; readonly name: string; readonly oid: string },
): Promise<string[]> {
  const { library, at } = repository;
  const older = await library.resolveRef({ ...at, ref }).catch(() => undefined);
  if (older === oid) return [];
  const isForward = older !== undefined && (await reachable(repository, [oid])).has(older);
  await library.writeRef({ ...at, ref, value: oid, force: true });
  const message =
    older === undefined ? 'fetch: storing head' : isForward ? 'fetch: fast-forward' : 'fetch: forced-update';
  const by = signatureLine(
    await git
      .signature(repository, 'COMMITTER')
      .catch(() => ({ name: 'unknown', email: 'unknown', seconds: 0, zoneMinutes: 0 })),
  );
  await addToReflog(repository, ref, { older: older ?? noCommit, newer: oid, by, message });
  const short = shortRef(name).padEnd(10);
  if (older === undefined) return [` * [new branch]      ${short} -> ${shortRef(ref)}`];
  const range = `${older.slice(0, 7)}${isForward ? '..' : '...'}${oid.slice(0, 7)}`;
  return [
    ` ${isForward ? ' ' : '+'} ${range.padEnd(17)} ${short} -> ${shortRef(ref)}${isForward ? '' : '  (forced update)'}`,
  ];
}

/** Tags come with what they are of. */
async function followTags(
  repository: Repository,
  source: LocalRemote,
  { refs, isAll }: { readonly refs: readonly Ref[]; readonly isAll: boolean },
): Promise<string[]> {
  const { library, at } = repository;
  const lines: string[] = [];
  for (const { name, oid } of refs) {
    if (!name.startsWith('refs/tags/')) continue;
    if (
      await library.resolveRef({ ...at, ref: name }).then(
        () => true,
        () => false,
      )
    )
      continue;
    const target = await source.repository.library.readTag({ ...source.repository.at, oid }).then(
      ({ tag }) => tag.object,
      () => oid,
    );
    const isHere = await library.readObject({ ...at, oid: target, format: 'deflated' }).then(
      () => true,
      () => false,
    );
    if (!isHere && !isAll) continue;
    await copyObjects(source.repository, repository, [oid]);
    await library.writeRef({ ...at, ref: name, value: oid, force: true });
    lines.push(` * [new tag]         ${shortRef(name).padEnd(10)} -> ${shortRef(name)}`);
  }
  return lines;
}

/** Clones another repository of the sandbox; where that fails, nothing of it is left. */
export async function cloneLocal(
  git: GitCall,
  {
    url,
    name,
    branch,
    isQuiet,
    checksOut,
  }: {
    readonly url: string;
    readonly name: string;
    readonly branch: string | undefined;
    readonly isQuiet: boolean;
    readonly checksOut: boolean;
  },
): Promise<void> {
  const { files } = git.parts;
  const source = await openLocal(git, url, git.cwd);
  const target = absolutePath(git.cwd, name).replace(/(.)\/$/, '$1');
  if (files.isThere(target))
    throw new GitCommandError(
      `fatal: destination path '${name}' already exists and is not an empty directory.`,
    );
  if (!isQuiet) await git.warn(`Cloning into '${name}'...`);
  await files.makeDirectory(target);
  try {
    const repository = await Repository.open(files, target, {
      signal: git.call.signal,
      what: 'fatal',
      isNew: true,
    });
    const refs = await remoteRefs(source);
    const pointed = await source.repository.branch();
    const chosen = branch ?? pointed ?? 'main';
    await initializeRepository(repository, chosen);
    const { library, at } = repository;
    const origin = url.startsWith('file://') ? url : source.path;
    await library.addRemote({ ...at, remote: 'origin', url: origin });
    const heads = refs.filter(({ name: ref }) => ref.startsWith('refs/heads/'));
    await copyObjects(
      source.repository,
      repository,
      refs.map(({ oid }) => oid),
    );
    for (const { name: ref, oid } of heads)
      await library.writeRef({ ...at, ref: `refs/remotes/origin/${ref.slice(11)}`, value: oid, force: true });
    for (const { name: ref, oid } of refs)
      if (ref.startsWith('refs/tags/')) await library.writeRef({ ...at, ref, value: oid, force: true });
    if (pointed !== undefined && heads.some(({ name: ref }) => ref === `refs/heads/${pointed}`))
      await library.writeRef({
        ...at,
        ref: 'refs/remotes/origin/HEAD',
        value: `refs/remotes/origin/${pointed}`,
        symbolic: true,
        force: true,
      });
    const head =
      heads.find(({ name: ref }) => ref === `refs/heads/${chosen}`) ??
      refs.find(({ name: ref }) => ref === `refs/tags/${chosen}`);
    if (branch !== undefined && !head)
      throw new GitCommandError(`fatal: Remote branch ${branch} not found in upstream origin`);
    if (!head) {
      await git.warn('warning: You appear to have cloned an empty repository.');
      return;
    }
    await finishClone(git, repository, { head, chosen, source: origin, checksOut });
    if (!isQuiet) await git.warn('done.');
  } catch (error) {
    if (files.isThere(target)) await files.remove(target);
    throw error;
  }
}

async function finishClone(
  git: GitCall,
  repository: Repository,
  {
    head,
    chosen,
    source,
    checksOut,
  }: { readonly head: Ref; readonly chosen: string; readonly source: string; readonly checksOut: boolean },
): Promise<void> {
  const { library, at } = repository;
  const isBranch = head.name.startsWith('refs/heads/');
  const { oid } = await objectOf(repository, `${head.oid}^{commit}`);
  if (checksOut)
    await switchTree(repository, { from: emptyTree, to: oid, verb: 'checkout', finish: async () => {} });
  if (isBranch) {
    await library.writeRef({ ...at, ref: head.name, value: oid, force: true });
    await setUpstream(repository, { branch: chosen, remote: 'origin', merge: head.name });
  }
  await moveHead(git, repository, {
    branch: isBranch ? chosen : undefined,
    oid,
    message: `clone: from ${source}`,
  });
}
