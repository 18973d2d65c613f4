import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { listenAbort, throwIfAborted } from '../../../protocol/abort.ts';
import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import type { Jail, JailSpec } from '../../contract.ts';
import { ownPrivileges } from '../../privileges.ts';
import { findControlGroups } from './control-groups/find-control-groups.ts';
import { IdRanges } from './id-ranges.ts';
import { type JailIds, launchRequest } from './launch-request.ts';
import { type JailHoldings, RunningJail } from './running-jail.ts';

const ranges = new IdRanges();
const what = 'Cannot start a jail';
/** One folder below ours, and no other. */
const groupName = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/;

/**
 * Starts a jail and resolves when it has tested its own walls from inside: everything in it is then
 * behind them. On failure or abort nothing of it is left.
 * @throws machine-failed that names the step or the wall, not-found for a missing layer,
 * already-exists when the control group is taken, timeout, aborted
 */
export async function startJail(
  spec: JailSpec,
  { launcher, signal }: { readonly launcher: string; readonly signal?: AbortSignal | undefined },
): Promise<Jail> {
  throwIfAborted(signal, what);
  const holdings = await hold(spec);
  let jail: RunningJail | undefined;
  try {
    const request = await launchRequest(spec, {
      groups: holdings.groups?.joins ?? [],
      ids: holdings.ids,
    });
    throwIfAborted(signal, what);
    const child = spawnLauncher(launcher);
    jail = new RunningJail(child, holdings);
    jail.landlockAbi = await started(jail, { child, request, signal });
    return jail;
  } catch (error) {
    if (jail) await jail[Symbol.asyncDispose]();
    else await holdings.release();
    throw error;
  }
}

/** Ids and control groups. Only root has either to give, or a group that was delegated. */
async function hold(spec: JailSpec): Promise<JailHoldings & { readonly ids: JailIds }> {
  if (!groupName.test(spec.cgroup)) {
    throw new SandboxError('invalid-argument', `${what}: "${spec.cgroup}" is no name for a control group`);
  }
  const found = await findControlGroups();
  const groups = found.type === 'found' ? await found.maker.make(spec.cgroup, spec.limits) : undefined;
  const ids = takeIds();
  return {
    groups,
    ids,
    async release() {
      await groups?.[Symbol.asyncDispose]();
      if (ids.type === 'host') ranges.give(ids.firstId);
    },
  };
}

/** Each jail has ids of its own where there are so many: with those of one user, all have the same. */
function takeIds(): JailIds {
  switch (ownPrivileges()) {
    case 'root':
      return { type: 'host', firstId: ranges.take() };
    case 'id-range':
      return { type: 'ours' };
    case 'one-id':
      return { type: 'one' };
  }
}

/** Descriptors as in guest/launch/launch.h. Nothing of our environment is any of its business. */
function spawnLauncher(launcher: string): ChildProcess {
  const stdio = ['ignore', 'ignore', 'pipe', 'pipe', 'pipe', 'pipe'] as const;
  return spawn(launcher, ['--jail'], { stdio: [...stdio], env: {}, cwd: '/' });
}

/** Resolves when the jail says that it is ready, to the version of Landlock that holds it. */
async function started(
  jail: RunningJail,
  options: { child: ChildProcess; request: Uint8Array; signal: AbortSignal | undefined },
): Promise<number> {
  const { child, request, signal } = options;
  const [, , , , input, ready] = child.stdio as unknown as Socket[];
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const unlisten = listenAbort(signal, () =>
    reject(new SandboxError('aborted', `${what}: aborted`, { cause: signal?.reason })),
  );
  const timer = setTimeout(
    () => reject(new SandboxError('timeout', `${what} in ${limits.jailStartTimeoutMs} ms`)),
    limits.jailStartTimeoutMs,
  );
  child.once('error', (cause) =>
    reject(new SandboxError('machine-failed', `${what}: the launcher does not run`, { cause })),
  );
  void jail.ended.then(({ message }) => reject(new SandboxError('machine-failed', message)));
  ready?.once('data', (bytes: Buffer) => resolve(bytes[0] ?? 0));
  // The launcher may be dead before it has read all; that is told by its end.
  for (const socket of [input, ready]) socket?.on('error', () => undefined);
  // Its other direction stays open for as long as we live: that is how the launcher knows.
  input?.resume().end(request);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    unlisten();
    ready?.destroy();
  }
}
