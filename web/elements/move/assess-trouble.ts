import { limits } from '../../../protocol/limits.ts';
import type { CommandEnd, SandboxConnection } from '../../../protocol/sandbox.ts';
import { askSandbox } from '../../../sdk/ask-sandbox.ts';
import { chooseRuntime, type RuntimeNeeds, type RuntimeOffer } from '../../../sdk/choose-runtime.ts';
import { readShellPlace } from '../../../sdk/shell-place.ts';

/** As bash tells of a file that the kernel does not execute, and of a program that was killed. */
const exitCodes = { notExecutable: 126, killed: 137 } as const;

/** In $1, is any of the others an executable for 64-bit processors (elf(5): magic, ELFCLASS64)? */
const is64BitProgram = `cd -- "$1" && shift && for word; do
  [[ -f $word && -x $word && $(head -c 5 -- "$word" | od -An -tx1) = ' 7f 45 4c 46 02' ]] && exit 0
done
exit 1`;
/** Words of a command line that are looked at. */
const mostWords = 32;

/** Programs that the kernel has killed for want of memory since it started (Linux 4.13). */
const countKills = `while read -r name count; do [[ $name != oom_kill ]] || echo "$count"; done </proc/vmstat`;

/** How often each connection's machine has killed for want of memory, as far as was looked. */
const knownKills = new WeakMap<SandboxConnection, number>();

/**
 * Why a command that ended badly in this tab would do better on a host, in words; empty when it would not,
 * or that cannot be told. Programs are not looked for there: a sandbox has the same image on both sides.
 */
export async function assessTrouble(
  connection: SandboxConnection,
  { trouble, host, shellPid }: { trouble: CommandEnd; host: string; shellPid: number | undefined },
): Promise<readonly string[]> {
  const { memoryMiB } = await connection.info();
  const needs = await whatIsNeeded(connection, { trouble, memoryMiB, shellPid });
  const common = { network: false, hasProgram: () => true, patienceMs: Number.POSITIVE_INFINITY };
  const offers: RuntimeOffer[] = [
    { ...common, name: 'this tab', memoryMiB, is64Bit: false, slowdown: 30 },
    { ...common, name: host, memoryMiB: limits.memoryMiB.max, is64Bit: true, slowdown: 1 },
  ];
  const { offer, reasons } = chooseRuntime(needs, offers);
  return offer === offers[1] ? reasons : [];
}

async function whatIsNeeded(
  connection: SandboxConnection,
  options: { trouble: CommandEnd; memoryMiB: number; shellPid: number | undefined },
): Promise<RuntimeNeeds> {
  const { trouble, memoryMiB, shellPid } = options;
  if (trouble.exitCode === exitCodes.killed) {
    const kills = Number(await askSandbox(connection, { script: countKills, args: [] }));
    const before = knownKills.get(connection) ?? 0;
    knownKills.set(connection, kills);
    return kills > before ? { memoryMiB: memoryMiB + 1 } : {};
  }
  const words = trouble.command.split(/[\s;&|()]+/).slice(0, mostWords);
  if (trouble.exitCode !== exitCodes.notExecutable || shellPid === undefined) return {};
  const { cwd } = await readShellPlace(connection, shellPid);
  const answer = askSandbox(connection, { script: is64BitProgram, args: [cwd, ...words] });
  return {
    is64Bit: await answer.then(
      () => true,
      () => false,
    ),
  };
}
