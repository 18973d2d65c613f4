import { readFile, writeFile } from 'node:fs/promises';
import { type ArchivePackage, checkPackage } from '../../host/debian/archive-package.ts';
import { SandboxError } from '../../protocol/errors.ts';

const lockFormat = 1;
const maxPackages = 5_000;

/** The exact packages of an image, dependencies included, sorted by name. */
export interface LockFile {
  readonly packages: readonly ArchivePackage[];
}

/**
 * Reads a lock file's text.
 * @throws version-mismatch for another format, invalid-argument for anything malformed
 */
export function parseLock(text: string): LockFile {
  let value: { format?: unknown; packages?: unknown };
  try {
    value = Object(JSON.parse(text));
  } catch (cause) {
    throw new SandboxError('invalid-argument', 'The lock file is not JSON', { cause });
  }
  if (value.format !== lockFormat) {
    throw new SandboxError(
      'version-mismatch',
      `The lock file has format ${JSON.stringify(value.format)}, not ${lockFormat}`,
    );
  }
  if (!Array.isArray(value.packages) || value.packages.length > maxPackages) {
    throw new SandboxError(
      'invalid-argument',
      `The lock file has no list of at most ${maxPackages} packages`,
    );
  }
  try {
    const packages = value.packages.map(checkPackage);
    packages.forEach((one, index) => {
      const previous = packages[index - 1];
      if (previous && previous.name >= one.name)
        throw new RangeError(`${one.name} is out of order or there twice`);
    });
    return { packages };
  } catch (cause) {
    throw new SandboxError('invalid-argument', `The lock file is malformed: ${(cause as Error).message}`, {
      cause,
    });
  }
}

/** The text of a lock file: one package after another, so that a change reads well in a diff. */
export function formatLock(lock: LockFile): string {
  return `${JSON.stringify({ format: lockFormat, packages: lock.packages }, undefined, 2)}\n`;
}

/** Reads a lock file. @throws not-found that says how to make it */
export async function readLock(path: string): Promise<LockFile> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new SandboxError('not-found', `There is no ${path}. Make it with \`npm run images -- update\``, {
      cause,
    });
  });
  return parseLock(text);
}

/** Writes a lock file; answers whether it changed. */
export async function writeLock(path: string, lock: LockFile): Promise<boolean> {
  const text = formatLock(lock);
  if ((await readFile(path, 'utf8').catch(() => '')) === text) return false;
  await writeFile(path, text);
  return true;
}
