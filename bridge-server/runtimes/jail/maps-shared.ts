import { readdir, readFile } from 'node:fs/promises';

/**
 * Whether one of these processes, none of which runs, has a file mapped that its writes go to (`MAP_SHARED`), or may
 * have, where its mappings cannot be read.
 */
export async function mapsShared(pids: readonly number[]): Promise<boolean> {
  for (const pid of pids) {
    const maps = await readFile(`/proc/${pid}/maps`, 'latin1').catch(() => undefined);
    if (maps === undefined || hasSharedFile(maps)) return true;
    // Of a process whose first thread has ended the kernel tells none, though others of its threads have them.
    if (maps === '' && (await threadCount(pid)) > 1) return true;
  }
  return false;
}

/**
 * By the text of `/proc/pid/maps` (proc_pid_maps(5)). A mapping for reading counts too, as it may have been one for
 * writing just before. What has no file is in no root, nor are devices and what is in memory.
 */
export function hasSharedFile(maps: string): boolean {
  return maps.split('\n').some((line) => {
    const path = sharedMapping.exec(line)?.[1];
    return path !== undefined && !isOutsideRoot.test(path) && !isOfLocale.test(line);
  });
}

const sharedMapping = /^[0-9a-f]+-[0-9a-f]+ ...s [0-9a-f]+ [0-9a-f]+:[0-9a-f]+ \d+ +(\/.*)$/;
const isOutsideRoot = /^\/(?:dev\/|memfd:|SYSV[0-9a-f]{8}(?: |$))/;

/** glibc maps its table of character sets in every program that has a locale; nobody writes to it in place. */
const isOfLocale = /^\S+ r--s .*\/gconv\/gconv-modules\.cache$/;

async function threadCount(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  return threads.length;
}
