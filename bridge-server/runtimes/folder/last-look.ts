import { hash } from 'node:crypto';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { ByteString } from '../../../tree/content/byte-string.ts';
import { translated } from '../../stores/disk-error.ts';
import { fileKey } from './find-writers.ts';
import { hostPath } from './folder-entry.ts';

/** What is noted of the last look at a folder that is stored: what has not been touched since need not be compared again. */
export interface LastLook {
  readonly beganMs: number;
  /** Marks of all directories. One that is moved brings files with it, of whose move their own times say nothing. */
  readonly directories: ReadonlySet<string>;
}

export const noLook: LastLook = { beganMs: 0, directories: new Set() };

/** Which directory a path is; `at` is where it is reached. */
export function directoryMark(path: ByteString, at: ByteString): string {
  const key = fileKey(statSync(hostPath(at), { bigint: true }));
  return hash('sha256', Buffer.concat([Buffer.from(`${key} `), hostPath(path)]), 'hex').slice(0, 32);
}

/** Of a note that is lost or damaged, or from a time to come, every file is compared. */
export function readLastLook(path: string): LastLook {
  try {
    const [began, ...directories] = readFileSync(path, 'latin1').trimEnd().split('\n');
    const beganMs = Number(began);
    return beganMs <= Date.now() ? { beganMs, directories: new Set(directories) } : noLook;
  } catch {
    return noLook;
  }
}

/** A look that cannot be noted, as on a full disk, costs the next one time and nothing else. */
export function writeLastLook(path: string, { beganMs, directories }: LastLook): void {
  try {
    writeFileSync(path, `${[beganMs, ...directories].join('\n')}\n`, { mode: 0o600 });
  } catch {
    rmSync(path, { force: true });
  }
}

/** Before other files are stored: by a note of earlier ones, those would be taken for the same. @throws as the disk fails */
export function forgetLastLook(path: string): void {
  translated('store the files', () => rmSync(path, { force: true }));
}
