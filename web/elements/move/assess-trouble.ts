import { limits } from '../../../protocol/limits.ts';
import type { CommandEnd, SandboxConnection } from '../../../protocol/sandbox.ts';
import { askSandbox } from '../../../sdk/ask-sandbox.ts';
import { chooseRuntime, type RuntimeNeeds, type RuntimeOffer } from '../../../sdk/choose-runtime.ts';
import { readShellPlace } from '../../../sdk/shell-place.ts';

/** As bash tells of a file that the kernel does not execute, and of a program that was killed. */
const exitCodes = { notExecutable: 126, killed: 137 } as const;

/**
 * In $1, is any of the others an executable for 64-bit processors (elf(5): magic, ELFCLASS64)? Says whether
 * the first is static; others name their linker near the beginning.
 */
const find64BitProgram = `cd -- "$1" && shift && for word; do
  [[ -f $word && -x $word && $(head -c 5 -- "$word" | od -An -tx1) = ' 7f 45 4c 46 02' ]] || continue
  head -c 4096 -- "$word" | grep -qa '/ld-[a-z]*-x86[-_]64\\.so' && echo linked || echo static
  exit 0
done
exit 1`;
/** Words of a command line that are looked at. */
const mostWords = 32;

/** What the guest's kernel said of the last program that it killed for want of memory (mm/oom_kill.c). */
const lastKill = `dmesg | grep 'Out of memory: Killed process' | tail -n 1`;

/** What each connection's machine said when it was asked the last time. */
const knownKills = new WeakMap<SandboxConnection, string>();

/**
 * Why a command that ended badly in this tab would do better on a host, in words; empty when it would not,
 * or that cannot be told. Programs are not looked for there: a sandbox has the same image on both sides,
 * so a program that is linked with 64-bit libraries would not run there either.
 */
export async function assessTrouble(
  connection: SandboxConnection,
  { trouble, host, shellPid }: { trouble: CommandEnd; host: string; shellPid: number | undefined },
): Promise<readonly string[]> {
  const { memoryMiB } = await connection.info();
  const needs = await whatIsNeeded(connection, { trouble, memoryMiB, shellPid });
  const common = {
    has64BitLibraries: false,
    network: false,
    hasProgram: () => true,
    patienceMs: Number.POSITIVE_INFINITY,
  };
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
    const said = await askSandbox(connection, { script: lastKill, args: [] });
    const isNew = said !== (knownKills.get(connection) ?? '');
    knownKills.set(connection, said);
    return isNew ? { memoryMiB: memoryMiB + 1 } : {};
  }
  const words = trouble.command.split(/[\s;&|()]+/).slice(0, mostWords);
  if (trouble.exitCode !== exitCodes.notExecutable || shellPid === undefined) return {};
  const { cwd } = await readShellPlace(connection, shellPid);
  const asking = askSandbox(connection, { script: find64BitProgram, args: [cwd, ...words] });
  const found = await asking.catch(() => undefined); // There is none.
  return found === undefined ? {} : { is64Bit: true, uses64BitLibraries: found.startsWith('linked') };
}
