import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Folders of control groups that are named `name`, or as it accepts, in any hierarchy. */
export async function controlGroupsNamed(name: string | ((name: string) => boolean)): Promise<string[]> {
  const isWanted = typeof name === 'string' ? (other: string) => other === name : name;
  const found: string[] = [];
  const look = async (path: string, depth: number): Promise<void> => {
    for (const entry of await readdir(path, { withFileTypes: true }).catch(() => [])) {
      if (!entry.isDirectory()) continue;
      if (isWanted(entry.name)) found.push(join(path, entry.name));
      else if (depth < 4) await look(join(path, entry.name), depth + 1);
    }
  };
  await look('/sys/fs/cgroup', 0);
  return found;
}

/** Host processes whose command line has `text` in it. */
export async function processesWith(text: string): Promise<number[]> {
  const found: number[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (command.includes(text)) found.push(Number(pid));
  }
  return found;
}

/**
 * Mounts of this process's namespace where a launcher mounts in its own (guest/launch/root-mount.h);
 * others on this host may mount elsewhere meanwhile.
 */
export async function stageMounts(): Promise<string[]> {
  const lines = (await readFile('/proc/self/mountinfo', 'utf8')).split('\n').filter(Boolean);
  return lines.filter((line) => /^\/tmp($|\/(root|u|\d+)($|\/))/.test(line.split(' ')[4] ?? ''));
}

/** Command lines of processes in whose mount namespace something is mounted at `path`. */
export async function mountedIn(path: string): Promise<string[]> {
  const found: string[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const mounts = await readFile(`/proc/${pid}/mountinfo`, 'utf8').catch(() => '');
    if (mounts.includes(` ${path} `))
      found.push(await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => pid));
  }
  return found;
}

/** Processes of this host that are of a user, as `pid state`. */
export async function processesOf(id: number): Promise<string[]> {
  const found: string[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    if (status.includes(`\nUid:\t${id}\t`)) found.push(`${pid} ${/^State:\t(.)/m.exec(status)?.[1]}`);
  }
  return found;
}
