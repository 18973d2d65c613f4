import { existsSync } from 'node:fs';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { cachePath } from '../../host/cache/cache-folder.ts';

/** Debian's `nobody`, who has no range of ids but in a mount namespace of a test's. */
export const uid = 65534;

/** A range for that user, as subuid(5) and subgid(5) have it. */
export const range: string = `${uid}:600000000:65536\n`;

/** Gives the user the range in $1, if any, and runs the rest as that user. */
const asUser = `
if [ -n "$1" ]; then mount --bind "$1" /etc/subuid && mount --bind "$1" /etc/subgid; fi || exit
shift
exec setpriv --reuid ${uid} --regid ${uid} --clear-groups -- "$@"`;

/** What unshare(1) runs `command` by as that user, with the ranges in the file `subids`, or `''` for none. Needs root. */
export function userArguments(subids: string, command: readonly string[]): string[] {
  return ['--mount', 'sh', '-c', asUser, 'sh', subids, ...command];
}

/**
 * Puts the programs that were compiled for root into a cache of that user's: to compile them takes a quarter of a minute. Those that come
 * with the sources as they are were not compiled.
 */
export async function givePrograms(cache: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  for (const programs of ['launchers', 'scanners', 'spawners', 'unpackers', 'watchers']) {
    const compiled = join(cachePath(), programs);
    if (existsSync(compiled)) await cp(compiled, join(cache, programs), { recursive: true });
  }
}
