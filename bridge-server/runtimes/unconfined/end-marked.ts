import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { unconfinedLimits } from './limits.ts';

/**
 * Ends all processes that began with a variable called `name`, which a program hands on to all that it starts, also where that is no
 * longer in its process group. Linux alone tells what a process began with: elsewhere none is found. One that took the variable away for its own programs is
 * not found, nor one of another user.
 */
export async function endMarked(name: string): Promise<void> {
  for (let round = 0; round < unconfinedLimits.endRounds; round++) {
    const found = readdirOf('/proc').filter((entry) => /^\d+$/.test(entry) && isMarked(entry, name));
    if (found.length === 0) return;
    for (const pid of found) endProcess(Number(pid), 'SIGKILL');
    await setTimeout(unconfinedLimits.endStepMs);
  }
}

/** Signals a process, or with `-pid` a process group; nothing where it has ended. */
export function endProcess(pid: number, signal: NodeJS.Signals): void {
  if (pid === 0) return; // That would be this process's own group.
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended, or has become another user's.
  }
}

function isMarked(pid: string, name: string): boolean {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`.includes(`\0${name}=`);
  } catch {
    return false; // It has ended, or is another user's.
  }
}

function readdirOf(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
