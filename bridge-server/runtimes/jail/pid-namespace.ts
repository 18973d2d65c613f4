import { readFile, stat } from 'node:fs/promises';

/**
 * The inode of the namespace of processes in which a jail's init runs, the one of `pids` whose parent is the launcher; `undefined`
 * where it has gone, or where this process may not see it.
 */
export async function pidNamespaceOf(
  pids: readonly number[],
  { launcher }: { readonly launcher: number },
): Promise<number | undefined> {
  for (const pid of pids) {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    if (/^PPid:\t(\d+)/m.exec(status)?.[1] !== `${launcher}`) continue;
    return (await stat(`/proc/${pid}/ns/pid`).catch(() => undefined))?.ino;
  }
  return undefined;
}
