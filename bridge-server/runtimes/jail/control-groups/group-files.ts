import { readFileSync, writeFileSync } from 'node:fs';
import { readFile, rmdir, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { SandboxError } from '../../../../protocol/errors.ts';
import { limits } from '../../../../protocol/limits.ts';
import type { MachineUsage } from '../../../../protocol/sandbox-report.ts';

/** cgroup files tell of what has become so only to who looks again. */
const lookAgainMs = 1;
/** Of a file of a group that was removed, before and while it was open. */
const goneCodes: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENODEV']);

/** Writes a setting of a control group. @throws internal that names it */
export async function writeSetting(path: string, value: string | number): Promise<void> {
  try {
    await writeFile(path, String(value));
  } catch (cause) {
    throw new SandboxError('internal', `Cannot write ${value} to ${path}`, { cause });
  }
}

/**
 * The same for what takes the kernel less time than it takes us to ask a thread: freezing is on the
 * way of every command's end. @throws internal that names it, machine-failed where the group is gone with its jail
 */
export function writeSettingNow(path: string, value: string | number): void {
  try {
    writeFileSync(path, String(value));
  } catch (cause) {
    const isGone = goneCodes.has((cause as NodeJS.ErrnoException).code);
    throw new SandboxError(isGone ? 'machine-failed' : 'internal', `Cannot write ${value} to ${path}`, {
      cause,
    });
  }
}

/** The number after `key` in lines of `key number`; 0 where there is none. */
export function readCount(path: string, key: string): number {
  return findCount(path, key) ?? 0;
}

/** The same, but `undefined` where there is none. */
export function findCount(path: string, key: string): number | undefined {
  const text = readText(path);
  const line = text.split('\n').find((one) => one.startsWith(`${key} `));
  return line === undefined ? undefined : Number(line.slice(key.length + 1));
}

/** The number that is all a file says; `undefined` where there is no such file. */
export function readNumber(path: string): number | undefined {
  const text = readText(path).trim();
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

/** What of it is known. */
export function usageOf({
  cpuNs,
  memoryBytes,
  memoryPeakBytes,
  threads,
  outOfMemoryKills,
}: {
  readonly [Name in 'cpuNs' | Exclude<keyof MachineUsage, 'cpuMs'>]: number | undefined;
}): MachineUsage {
  return {
    ...(cpuNs === undefined ? {} : { cpuMs: cpuNs / 1e6 }),
    ...(memoryBytes === undefined ? {} : { memoryBytes }),
    ...(memoryPeakBytes === undefined ? {} : { memoryPeakBytes }),
    ...(threads === undefined ? {} : { threads }),
    ...(outOfMemoryKills === undefined ? {} : { outOfMemoryKills }),
  };
}

/** What a file says, which is nothing when it is gone. */
export function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Process ids of a group, which is empty when it is gone. */
export async function readProcesses(path: string): Promise<number[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.split('\n').filter(Boolean).map(Number);
}

/** Looks until `holds`. @throws timeout after `timeoutMs` */
export async function waitUntil(
  holds: () => boolean | Promise<boolean>,
  { what, timeoutMs }: { what: string; timeoutMs: number },
): Promise<void> {
  const deadlineMs = performance.now() + timeoutMs;
  while (!(await holds())) {
    if (performance.now() > deadlineMs)
      throw new SandboxError('timeout', `Cannot ${what} in ${timeoutMs} ms`);
    await delay(lookAgainMs);
  }
}

/** Removes a group's folder as soon as its last process is gone. */
export async function removeGroup(path: string): Promise<void> {
  const isGone = async () => {
    try {
      await rmdir(path);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // Dead, but not yet taken off the list.
      if (code === 'EBUSY') return false;
      if (code !== 'ENOENT') throw error;
    }
    return true;
  };
  await waitUntil(isGone, { what: `remove the control group ${path}`, timeoutMs: limits.jailEndTimeoutMs });
}
