import { readFile } from 'node:fs/promises';

/** Another one after each boot of the kernel (random(4)). Rejects where nothing tells. */
export async function bootId(): Promise<string> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
}
