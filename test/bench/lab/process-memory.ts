import { readdir, readFile } from 'node:fs/promises';

/** Ids of the processes that `ancestor` has started, and those that they have, as far as they run. */
export async function descendants(ancestor: number): Promise<number[]> {
  const parents = new Map<number, number>();
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => ''); // It may have ended.
    // proc_pid_stat(5): the name in parentheses may hold anything; the state and the parent follow it.
    const parent = /^.*\) \S (\d+) /s.exec(stat)?.[1];
    if (parent !== undefined) parents.set(Number(name), Number(parent));
  }
  const isBelow = (pid: number): boolean => {
    const parent = parents.get(pid);
    return parent !== undefined && (parent === ancestor || isBelow(parent));
  };
  return [...parents.keys()].filter(isBelow);
}

/** Proportional set size of a process in MiB (proc(5), smaps_rollup): of what several share each has its part. */
export async function proportionalMib(processId: number): Promise<number> {
  const text = await readFile(`/proc/${processId}/smaps_rollup`, 'utf8');
  const [, kib] = /^Pss:\s+(\d+) kB$/m.exec(text) ?? [];
  if (kib === undefined) throw new RangeError(`/proc/${processId}/smaps_rollup has no Pss`);
  return Number(kib) / 1024;
}
