import { limits } from '../../../protocol/limits.ts';
import type { SandboxConnection } from '../../../protocol/sandbox/connection.ts';
import type { CommandEnd } from '../../../protocol/sandbox/events.ts';
import { chooseRuntime, type RuntimeNeeds, type RuntimeOffer } from '../../../sdk/routing/choose-runtime.ts';
import { inspectCommand } from '../../../sdk/routing/inspect-command.ts';
import { wasKilledForMemory } from '../../../sdk/routing/memory-kill.ts';
import { readShellContext } from '../../../sdk/shell-context.ts';
import type { HostPlace } from '../model/host-place.ts';

/** Bash's exit code for a file that the kernel does not execute. */
const notExecutable = 126;

/** The reason to run a command on a host, in words. */
export interface TroubleAdvice {
  readonly reasons: readonly string[];
  /** The image that it needs there; absent if the sandbox's own will do. */
  readonly image: string | undefined;
}

/**
 * Why a command that failed in this tab would succeed on a host; `undefined` if it would not, or if that is
 * unknown. A missing program is no reason, since a sandbox that moves has the same image on both sides. A program
 * that is linked with 64-bit libraries needs another image, which only a new sandbox can have; hosts are queried
 * for it only then.
 */
export async function assessTrouble(
  connection: SandboxConnection,
  options: { trouble: CommandEnd; host: HostPlace; shellPid: number | undefined },
): Promise<TroubleAdvice | undefined> {
  const { trouble, host, shellPid } = options;
  const { memoryMiB } = await connection.info.get();
  const needs = await whatIsNeeded(connection, { trouble, memoryMiB, shellPid });
  const common = {
    has64BitLibraries: false,
    network: false,
    hasProgram: () => true,
    patienceMs: Number.POSITIVE_INFINITY,
  };
  const here: RuntimeOffer = { ...common, name: 'this tab', memoryMiB, is64Bit: false, slowdown: 30 };
  const there = { ...common, name: host.name, memoryMiB: limits.memoryMiB.max, is64Bit: true, slowdown: 1 };
  const { offer, reasons } = chooseRuntime(needs, [here]);
  if (offer === here) return undefined;
  if (chooseRuntime(needs, [there]).offer) return { reasons, image: undefined };
  const wide = (await host.images()).find(({ architecture }) => architecture === 'amd64');
  const withLibraries = { ...there, has64BitLibraries: true };
  if (wide === undefined || !chooseRuntime(needs, [withLibraries]).offer) return undefined;
  return { reasons, image: wide.name };
}

async function whatIsNeeded(
  connection: SandboxConnection,
  options: { trouble: CommandEnd; memoryMiB: number; shellPid: number | undefined },
): Promise<RuntimeNeeds> {
  const { trouble, memoryMiB, shellPid } = options;
  if (await wasKilledForMemory(connection, trouble)) return { memoryMiB: memoryMiB + 1 };
  if (trouble.exitCode !== notExecutable || shellPid === undefined) return {};
  const { cwd } = await readShellContext(connection, shellPid);
  const look = await inspectCommand(connection, { command: trouble.command, cwd });
  return look.is64Bit ? { is64Bit: true, uses64BitLibraries: look.uses64BitLibraries } : {};
}
