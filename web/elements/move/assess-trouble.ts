import { askSandbox } from '../../../protocol/ask-sandbox.ts';
import { limits } from '../../../protocol/limits.ts';
import type { CommandEnd, SandboxConnection } from '../../../protocol/sandbox.ts';
import { chooseRuntime, type RuntimeNeeds, type RuntimeOffer } from '../../../sdk/choose-runtime.ts';
import { lookAtCommand } from '../../../sdk/look-at-command.ts';
import { readShellPlace } from '../../../sdk/shell-place.ts';
import type { HostPlace } from '../model/host-place.ts';

/** As bash tells of a file that the kernel does not execute, and of a program that was killed. */
const exitCodes = { notExecutable: 126, killed: 137 } as const;

/** What the guest's kernel said of the last program that it killed for want of memory (mm/oom_kill.c). */
const lastKill = `dmesg | grep 'Out of memory: Killed process' | tail -n 1`;

/** What each connection's machine said when it was asked the last time. */
const knownKills = new WeakMap<SandboxConnection, string>();

/** Why a command would do better on a host, in words. */
export interface TroubleAdvice {
  readonly reasons: readonly string[];
  /** The image there that it needs; absent where that of the sandbox will do. */
  readonly image: string | undefined;
}

/**
 * Why a command that ended badly in this tab would do better on a host; `undefined` when it would not, or that cannot
 * be told. Programs are not looked for there: a sandbox that moves has the same image on both sides. One that is
 * linked with 64-bit libraries needs another image, which only a new sandbox has; hosts are asked for it only then.
 */
export async function assessTrouble(
  connection: SandboxConnection,
  options: { trouble: CommandEnd; host: HostPlace; shellPid: number | undefined },
): Promise<TroubleAdvice | undefined> {
  const { trouble, host, shellPid } = options;
  const { memoryMiB } = await connection.info();
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
  if (trouble.exitCode === exitCodes.killed) {
    const said = await askSandbox(connection, { script: lastKill, args: [] });
    const isNew = said !== (knownKills.get(connection) ?? '');
    knownKills.set(connection, said);
    return isNew ? { memoryMiB: memoryMiB + 1 } : {};
  }
  if (trouble.exitCode !== exitCodes.notExecutable || shellPid === undefined) return {};
  const { cwd } = await readShellPlace(connection, shellPid);
  const look = await lookAtCommand(connection, { command: trouble.command, cwd });
  return look.is64Bit ? { is64Bit: true, uses64BitLibraries: look.uses64BitLibraries } : {};
}
