import { askSandbox } from '../../protocol/ask-sandbox.ts';
import type { SandboxConnection } from '../../protocol/sandbox/connection.ts';

/** Exit code of a shell for a child that was killed: 128 and the number of SIGKILL. */
const killed = 137;

/** The guest kernel's message about the last program that it killed for lack of memory (mm/oom_kill.c): its kernels tell no time. */
const lastKill = `dmesg | grep 'Out of memory: Killed process' | tail -n 1`;

/** The last such message of each connection's machine. */
const knownKills = new WeakMap<SandboxConnection, string>();

/**
 * Whether a command that ended so was killed for lack of memory by the kernel of a machine in a tab, which counts no such
 * kills: whether the kernel tells of one that it did not tell of before. @throws as `askSandbox`
 */
export async function wasKilledForMemory(
  connection: SandboxConnection,
  { exitCode }: { readonly exitCode: number },
): Promise<boolean> {
  if (exitCode !== killed) return false;
  const said = await askSandbox(connection, { script: lastKill, args: [] });
  const isNew = said !== (knownKills.get(connection) ?? '');
  knownKills.set(connection, said);
  return isNew;
}
