import type { Sandbox } from '../sandbox.ts';
import { parentDirectory } from './parent-directory.ts';

/** Writes all of a file, with the directories above it. `path` is absolute. @throws storage-full, read-only */
export async function writeFile(
  sandbox: Sandbox,
  path: string,
  data: string | Uint8Array,
  options: { readonly mode?: number } = {},
): Promise<void> {
  await sandbox.files.makeDirectory(parentDirectory(path));
  await sandbox.files.write(path, data, options);
}
