import type { Socket } from 'node:net';
import { listenAbort, orAborted, throwIfAborted } from '../../../protocol/abort.ts';
import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import type { Jail, JailSpec, RootMount } from '../../contract.ts';
import { ownPrivileges } from '../../privileges.ts';
import type { Program } from '../../programs/program.ts';
import { startProgram } from '../../programs/start-program.ts';
import { findControlGroups } from './control-groups/find-control-groups.ts';
import { jailIdRanges } from './id-ranges.ts';
import { type JailIds, launchRequest } from './launch-request.ts';
import { NotedJail } from './noted-jail.ts';
import { programLauncher } from './program-launcher.ts';
import { type JailHoldings, RunningJail } from './running-jail.ts';

/**
 * The launcher's errors, and what guest/launch/descriptors.h has: the agent's channel, the request, and the word that
 * it is ready.
 */
const descriptors = [2, 3, 4, 5] as const;

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
    const program = startProgram([launcher, '--jail'], { descriptors });
    const pid = await inTime(program, signal);
    if (pid === undefined) throw await notStarted(program);
    const parent = programLauncher(program, { pid, obeys: holdings.aloneId !== undefined });
    jail = new RunningJail(parent, program.sockets[1] as Socket, holdings);
    jail.landlockAbi = await started(jail, { program, request, signal });
    holdings.noted?.note({ landlockAbi: jail.landlockAbi });
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
  const ids = takeIds(spec.root);
  const aloneId = ids.type === 'alone' ? ids.firstId : undefined;
  const releaseLimits = async () => {
    await groups?.[Symbol.asyncDispose]();
    if (ids.type === 'host') jailIdRanges.give(ids.firstId);
  };
  try {
    const { cgroup, network } = spec;
    const facts = { cgroup, hasGroups: groups !== undefined, ids, network: network?.key };
    const noted = spec.outlives && NotedJail.make(spec.outlives, facts);
    return {
      groups,
      ids,
      aloneId,
      noted,
      release: () => releaseLimits().finally(() => noted?.[Symbol.dispose]()),
    };
  } catch (error) {
    await releaseLimits();
    throw error;
  }
}

/** Each jail has ids of its own where there are so many: with those of one user, all have the same. */
function takeIds(root: RootMount): JailIds {
  if (root.type === 'bind' && root.ownId !== undefined) return { type: 'alone', firstId: root.ownId };
  switch (ownPrivileges()) {
    case 'root':
      return { type: 'host', firstId: jailIdRanges.take() };
    case 'id-range':
      return { type: 'ours' };
    case 'one-id':
      return { type: 'one' };
  }
}

/** Resolves when the jail says that it is ready, to the version of Landlock that holds it. */
async function started(
  jail: RunningJail,
  options: { program: Program; request: Uint8Array; signal: AbortSignal | undefined },
): Promise<number> {
  const { program, request, signal } = options;
  const [, , input, ready] = program.sockets;
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const unlisten = listenAbort(signal, () =>
    reject(new SandboxError('aborted', `${what}: aborted`, { cause: signal?.reason })),
  );
  const timer = setTimeout(() => reject(tooSlow()), limits.jailStartTimeoutMs);
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

/** The launcher's id. What starts it may be stopped, or busy with others. @throws timeout, aborted */
async function inTime(program: Program, signal: AbortSignal | undefined): Promise<number | undefined> {
  const timeout = AbortSignal.timeout(limits.jailStartTimeoutMs);
  const either = signal ? AbortSignal.any([signal, timeout]) : timeout;
  try {
    return await orAborted(program.pid, { signal: either, what });
  } catch (error) {
    program.kill('SIGKILL');
    for (const socket of program.sockets) socket.destroy();
    if (signal?.aborted) throw error;
    throw tooSlow();
  }
}

async function notStarted(program: Program): Promise<SandboxError> {
  for (const socket of program.sockets) socket.destroy();
  const { failure } = await program.ended;
  return new SandboxError('machine-failed', `${what}: the launcher does not run: ${failure}`);
}

function tooSlow(): SandboxError {
  const remedy = 'The host, or its disk, is busy: try again when it is less so.';
  return new SandboxError('timeout', `${what} in ${limits.jailStartTimeoutMs} ms`, { details: { remedy } });
}
