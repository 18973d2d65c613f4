import type { Sandbox } from '../sandbox.ts';

/** Writes all of a file, with the directories above it. `path` is absolute. @throws storage-full, read-only */
export async function writeFile(
  sandbox: Sandbox,
  path: string,
  data: string | Uint8Array,
  options: { readonly mode?: number } = {},
): Promise<void> {
  await sandbox.files.makeDirectory(path.slice(0, path.lastIndexOf('/')) || '/');
  await sandbox.files.write(path, data, options);
}
