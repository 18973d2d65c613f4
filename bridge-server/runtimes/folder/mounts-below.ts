import { readFileSync } from 'node:fs';
import type { ByteString } from '../../../tree/content/byte-string.ts';

/**
 * The paths below `folder` that something is mounted at, without what is mounted further down, of the mounts of the kernel's number `mount`. By
 * device numbers alone, what is mounted from the same file system would count as part of the folder.
 */
export function mountsBelow(folder: ByteString, mount: string): ReadonlySet<ByteString> {
  const prefix = folder === '/' ? '/' : `${folder}/`;
  const paths = new Set<ByteString>();
  // proc_pid_mountinfo(5): the second field is the mount that it is on, the fifth where. Names are bytes.
  for (const line of readFileSync('/proc/self/mountinfo', 'latin1').split('\n')) {
    const [, parent, , , field = ''] = line.split(' ');
    const point = decode(field);
    if (parent === mount && point.startsWith(prefix)) paths.add(point.slice(prefix.length));
  }
  return paths;
}

/** Blanks, newlines and backslashes are octal numbers. */
function decode(field: string): ByteString {
  return field.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
