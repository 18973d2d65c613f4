import { SandboxError } from '../../../protocol/errors.ts';
import type { GitCloneAsk } from '../../../protocol/sandbox/git.ts';
import { planClone } from '../clone-plan.ts';
import { type ExchangeOptions, withServer } from './exchange.ts';
import type { FileTime, GitFiles } from './git-files.ts';
import { initializeRepository } from './initialize-repository.ts';
import { moveFiles } from './move-files.ts';
import { emptyTree, Repository } from './repository.ts';
import { treeChanges } from './tree-changes.ts';

interface CloneParts {
  readonly files: GitFiles;
  /** The servers that may be asked; all by default. */
  readonly servers: readonly string[] | undefined;
  readonly signal: AbortSignal;
  readonly tell: (text: string) => void;
}

/**
 * Clones a repository to its place, all of it or nothing: into a directory beside it first, of the name that a program's
 * clone uses too. What an attempt that was cut short has left there goes first.
 * @throws already-exists, not-found (the directory that is to hold it), unsupported, and what the library throws
 */
export async function cloneIntoFiles(
  ask: GitCloneAsk,
  { files, servers, signal, tell }: CloneParts,
): Promise<void> {
  const plan = planClone(ask);
  const what = `Cannot clone "${plan.url}"`;
  if (plan.scheme !== 'https' && plan.scheme !== 'http') {
    throw new SandboxError('unsupported', `${what}: git here speaks https and http`, {
      details: { feature: plan.scheme },
    });
  }
  const above = plan.path.slice(0, plan.path.lastIndexOf('/'));
  if (above !== '' && !files.isDirectory(above)) {
    throw new SandboxError('not-found', `${what}: there is no directory "${above}"`, {
      details: { path: above },
    });
  }
  assertFree(files, plan.path, what);
  const stage = `${above}/.${plan.path.slice(above.length + 1)}.coppice-clone`;
  if (files.isThere(stage)) await files.remove(stage);
  const before = files.timeOf(above || '/');
  let made: FileTime | undefined;
  try {
    await files.makeDirectory(stage);
    made = files.timeOf(above || '/');
    tell(`Cloning ${plan.url}`);
    const repository = await Repository.open(files, stage, { signal, what, isNew: true });
    await withServer(ask, { servers, signal, tell }, (options) => clone(repository, ask, options));
    signal.throwIfAborted();
    assertFree(files, plan.path, what);
    await files.rename({ path: stage, to: plan.path });
  } finally {
    // A clone that fails changes nothing, the time of the directory included, unless somebody else has changed it.
    const now = files.timeOf(above || '/');
    const isOurs = now.seconds === made?.seconds && now.nanoseconds === made.nanoseconds;
    if (files.isThere(stage)) await files.remove(stage, isOurs ? { time: before } : {});
  }
}

async function clone(repository: Repository, ask: GitCloneAsk, options: ExchangeOptions): Promise<void> {
  const { library, at } = repository;
  const { url, ref, commit, depth } = ask;
  await initializeRepository(repository);
  const isShallow = depth !== undefined;
  const shallow = isShallow ? { depth, singleBranch: true } : {};
  const chosen = ref === undefined ? {} : { ref };
  await library.clone({ ...at, ...options, url, ...shallow, ...chosen, noCheckout: true });
  if (commit === undefined) {
    const head = await repository.head();
    if (head !== undefined) await putFiles(repository, head, options);
    return;
  }
  const isThere = await library.readCommit({ ...at, oid: commit }).then(
    () => true,
    () => false,
  );
  // No branch has it; most servers give it all the same.
  if (!isThere)
    await library.fetch({
      ...at,
      ...options,
      url,
      remote: 'origin',
      ref: commit,
      remoteRef: commit,
      ...shallow,
      singleBranch: true,
    });
  const finish = ({ library, at }: Repository) =>
    library.writeRef({ ...at, ref: 'HEAD', value: commit, force: true });
  await putFiles(repository, commit, { ...options, finish });
}

/** Puts the files of a commit into a working tree that has none. */
async function putFiles(
  repository: Repository,
  commit: string,
  {
    onProgress,
    finish = async () => {},
  }: Partial<ExchangeOptions> & { readonly finish?: (at: Repository) => Promise<void> },
): Promise<void> {
  const changes = await treeChanges(repository, { older: emptyTree, newer: commit });
  onProgress?.({ phase: 'Updating workdir', loaded: 0, total: changes.length });
  await moveFiles(repository, { changes, finish, what: 'Cannot check out' });
}

function assertFree(files: GitFiles, path: string, what: string): void {
  if (!files.isThere(path)) return;
  throw new SandboxError('already-exists', `${what}: something is at "${path}" already`, {
    details: { path },
  });
}
