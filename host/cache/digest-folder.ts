import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { digestParts } from './digest.ts';

/** SHA-256 over the names and contents of the files below `folder` that `accepts` wants; a missing folder is an empty one. */
export async function digestFolder(
  folder: string,
  accepts: (name: string) => boolean = () => true,
): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = entries
    .filter((entry) => entry.isFile() && accepts(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const parts: (string | Uint8Array)[] = [];
  for (const path of paths) parts.push(path.slice(folder.length), await readFile(path));
  return digestParts(parts);
}
