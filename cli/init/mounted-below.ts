import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';

/**
 * The folders and files below `folder`, a real path, that something is mounted at, relative to it with a slash before. By device numbers alone,
 * what is mounted from the same file system would count as part of it. None where the kernel has no list of them.
 */
export async function mountedBelow(folder: string, list?: string): Promise<string[]> {
  const text = list ?? (await readFile('/proc/self/mountinfo', 'utf8').catch(() => ''));
  // proc_pid_mountinfo(5): the fifth field, with blanks and backslashes as octal numbers.
  const points = text.split('\n').map((line) => decode(line.split(' ')[4] ?? ''));
  const below = points
    .filter(Boolean)
    .map((point) => relative(folder, point))
    .filter((path) => path && !/^\.\.(\/|$)/.test(path));
  return [...new Set(below.map((path) => `/${path}`))];
}

function decode(field: string): string {
  return field.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
