import { mkdir } from 'node:fs/promises';
import { SandboxError } from '../../../protocol/errors.ts';
import type { JailRelay, RootMount } from '../../contract.ts';
import { probeGroupName } from './control-groups/group-names.ts';
import { OwnIdRoots } from './own-id-roots.ts';
import { startJail } from './start-jail.ts';

/** Whether something works here, or why not. */
export type Finding = { readonly type: 'works' } | { readonly type: 'missing'; readonly reason: string };

export interface Attempt {
  readonly finding: Finding;
  readonly landlockAbi: number;
  /** Why it does not work, as it was told. */
  readonly error?: SandboxError;
}

const smallest = { memoryMiB: 32, pids: 16, cpuShares: 1024 };

export interface AttemptOptions {
  readonly launcher: string;
  /** Where sandboxes are kept: what is left of a jail that was tried is that folder's. */
  readonly folder: string;
  readonly network?: JailRelay | undefined;
}

/** Whether a jail starts on `root`, and passes its own test, which asks for an answer where it has a network. */
export async function tryJail(root: RootMount, options: AttemptOptions): Promise<Attempt> {
  return attempt(async () => startOn(root, options));
}

/** The same without namespaces, on a folder that is made at `path`. */
export async function tryOwnId(path: string, options: AttemptOptions): Promise<Attempt> {
  return attempt(async () => {
    await mkdir(path);
    await using stack = new AsyncDisposableStack();
    const { id, release } = await new OwnIdRoots(options.launcher).furnish(path);
    stack.defer(release);
    return await startOn({ type: 'bind', path, ownId: id }, options);
  });
}

async function startOn(root: RootMount, { launcher, folder, network }: AttemptOptions): Promise<number> {
  const cgroup = await probeGroupName(folder);
  const jail = await startJail({ root, hostname: 'probe', limits: smallest, cgroup, network }, { launcher });
  await jail[Symbol.asyncDispose]();
  return jail.landlockAbi;
}

async function attempt(start: () => Promise<number>): Promise<Attempt> {
  try {
    return { finding: { type: 'works' }, landlockAbi: await start() };
  } catch (cause) {
    const error = SandboxError.from(cause);
    return { finding: { type: 'missing', reason: error.message }, landlockAbi: 0, error };
  }
}
