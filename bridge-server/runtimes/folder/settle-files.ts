import { spawn } from 'node:child_process';
import { fdatasyncSync, readFileSync, statfsSync } from 'node:fs';
import { hostPath } from './folder-entry.ts';
import { folderLimits } from './limits.ts';
import type { OpenFolder } from './open-folder.ts';

/** Of file systems that give a file a new time with the first write to a page of a mapping since that page was written to disk (statfs(2)): ext4, XFS, btrfs. */
const timedTypes: ReadonlySet<number> = new Set([0xef53, 0x58465342, 0x9123683e]);
const overlayType = 0x794c7630;

/**
 * Has the kernel write files to disk before they are read. A program that writes through a mapping moves no time while the page waits to be written: from
 * then on it does, so a look that compares times finds what it writes later.
 */
export class FileSettler {
  readonly #folder: OpenFolder;
  readonly #untilMs = performance.now() + folderLimits.settleMs;
  #files = 0;
  #tried: Promise<boolean> | undefined;
  #isSettled = true;

  constructor(folder: OpenFolder) {
    this.#folder = folder;
  }

  /** Whether all files that were read had been written to disk before. What was not is to be compared again. */
  get isSettled(): boolean {
    return this.#isSettled;
  }

  async settle(file: number): Promise<void> {
    this.#files += 1;
    // One call for all that waits to be written costs as much as one for each of a few files.
    if (this.#files > folderLimits.settledAlone) {
      this.#tried ??= settleAll(this.#folder, folderLimits.settleMs);
      if (await this.#tried) return;
    }
    if (!this.#isSettled) return;
    try {
      if (performance.now() < this.#untilMs) fdatasyncSync(file);
      else this.#isSettled = false;
    } catch {
      this.#isSettled = false;
    }
  }
}

/** Whether files there tell by their times of every write that comes after they were written to disk. Where it is not known, they do not. */
export function timesTellWrites({ file, mount }: OpenFolder): boolean {
  if (mount === undefined) return false;
  try {
    const { type } = statfsSync(`/proc/self/fd/${file}`);
    return timedTypes.has(type) || (type === overlayType && isTimedOverlay(mount));
  } catch {
    return false;
  }
}

/** What is written to an overlay is in its upper directory, which another mount namespace may hide. */
function isTimedOverlay(mount: string): boolean {
  const lines = readFileSync('/proc/self/mountinfo', 'latin1').split('\n');
  const options =
    lines
      .find((line) => line.startsWith(`${mount} `))
      ?.split(' ')
      .at(-1) ?? '';
  const upper = /(?:^|,)upperdir=([^,\\]+)/.exec(options)?.[1];
  // What is volatile is never written to disk.
  if (upper === undefined || /(?:^|,)volatile(?:,|$)/.test(options)) return false;
  return timedTypes.has(statfsSync(hostPath(upper)).type);
}

/** syncfs(2), which Node has no call for; false where it takes too long, as while others write much, or there is no such program. */
export function settleAll({ file }: OpenFolder, waitMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn('sync', ['-f', '/dev/stdin'], { stdio: [file, 'ignore', 'ignore'] });
    const timer = setTimeout(() => end(false), waitMs);
    const end = (isSettled: boolean) => {
      clearTimeout(timer);
      // It cannot be killed while the kernel writes.
      child.unref();
      resolve(isSettled);
    };
    child.once('error', () => end(false));
    child.once('exit', (code) => end(code === 0));
  });
}
