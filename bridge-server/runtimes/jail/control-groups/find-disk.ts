import { readFile, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The number, `major:minor`, of the whole disk that holds `folder`: limits of speed are not for partitions
 * (Documentation/admin-guide/cgroup-v2.rst, io.max). `undefined` where there is no such thing, as in memory.
 */
export async function findDisk(folder: string): Promise<string | undefined> {
  const mount = mountOf(await realpath(folder), await readFile('/proc/self/mountinfo', 'utf8'));
  const number = mount && (await deviceNumber(mount));
  if (number === undefined) return undefined;
  try {
    const device = await realpath(join('/sys/dev/block', number));
    const whole = await readFile(join(device, 'partition')).then(
      () => join(device, '..'),
      () => device,
    );
    return (await readFile(join(whole, 'dev'), 'utf8')).trim();
  } catch {
    return undefined;
  }
}

interface Mount {
  readonly point: string;
  readonly number: string;
  readonly source: string;
}

/** proc_pid_mountinfo(5): what was mounted last covers what was before. */
function mountOf(path: string, mountinfo: string): Mount | undefined {
  let found: Mount | undefined;
  for (const line of mountinfo.split('\n')) {
    const [, number = '', point = '', source = ''] =
      /^\S+ \S+ (\S+) \S+ (\S+) .* - \S+ (\S+)/.exec(line) ?? [];
    const isAbove = point === '/' || path === point || path.startsWith(`${point}/`);
    if (point !== '' && isAbove && point.length >= (found?.point.length ?? 0))
      found = { point, number, source };
  }
  return found;
}

/** Of the source rather than the mount, which has a number of no disk in btrfs. */
async function deviceNumber({ number, source }: Mount): Promise<string | undefined> {
  const { rdev = 0 } = source.startsWith('/') ? await stat(source).catch(() => ({ rdev: 0 })) : {};
  // As Linux packs both into one number (makedev(3)).
  if (rdev !== 0) return `${(rdev >>> 8) & 0xfff}:${(rdev & 0xff) | ((rdev >>> 12) & 0xfff00)}`;
  return number.startsWith('0:') ? undefined : number;
}
