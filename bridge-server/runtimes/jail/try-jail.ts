import { mkdir } from 'node:fs/promises';
import { SandboxError } from '../../../protocol/errors.ts';
import type { JailRelay, RootMount } from '../../contract.ts';
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

/** Whether a jail starts on `root`, and passes its own test, which asks for an answer where it has a network. */
export async function tryJail(root: RootMount, launcher: string, network?: JailRelay): Promise<Attempt> {
  return attempt(async () => startOn(root, { launcher, network }));
}

/** The same without namespaces, on a folder that is made at `path`. */
export async function tryOwnId(path: string, launcher: string): Promise<Attempt> {
  return attempt(async () => {
    await mkdir(path);
    await using stack = new AsyncDisposableStack();
    const { id, release } = await new OwnIdRoots(launcher).furnish(path);
    stack.defer(release);
    return await startOn({ type: 'bind', path, ownId: id }, { launcher });
  });
}

async function startOn(
  root: RootMount,
  { launcher, network }: { readonly launcher: string; readonly network?: JailRelay | undefined },
): Promise<number> {
  const cgroup = `coppice-probe-${crypto.randomUUID()}`;
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
