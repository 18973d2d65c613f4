import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SandboxError } from '../../../protocol/errors.ts';
import type { FileChanger, ProcessStarter } from '../../../sandbox/machine/machine-ports.ts';
import type { RunningMachine, SandboxMachine } from '../../../sandbox/machine/sandbox-machine.ts';
import { SerialQueue } from '../../../sandbox/serial-queue.ts';
import { toByteString } from '../../../tree/content/byte-string.ts';
import type { LiveTree } from '../../../tree/live/live-tree.ts';
import { isGone } from './folder-entry.ts';
import { type IgnoreRules, ignoreFileName, parseIgnoreRules } from './ignore-rules.ts';
import { folderLimits } from './limits.ts';
import { readFolder } from './read-folder.ts';
import { writeFolder } from './write-folder.ts';

export interface FolderMachineOptions {
  /** A folder of this host, whose files are the sandbox's. */
  readonly folder: string;
  /** Where the time of the last whole look is kept. */
  readonly lookedPath: string;
  /** What runs programs in the folder, for its owner to end; by default nothing does. */
  readonly programs?: ProcessStarter | undefined;
}

/**
 * In place of the machine of a sandbox whose files are a folder of the host: it runs nothing by itself, since programs work in that folder
 * without it, reads the folder when a snapshot is taken, and writes it when one is checked out.
 */
export class FolderMachine implements SandboxMachine {
  readonly mayRefuse = true;
  readonly #tree: LiveTree;
  readonly #options: FolderMachineOptions;
  readonly #serial = new SerialQueue();
  #replaced = 0;
  /** When the last whole look began. */
  #lookedMs: number | undefined;
  #isDisposed = false;

  constructor(tree: LiveTree, options: FolderMachineOptions) {
    this.#tree = tree;
    this.#options = options;
  }

  get replaced(): number {
    return this.#replaced;
  }

  async start(): Promise<void> {}

  async running(): Promise<RunningMachine> {
    const { programs } = this.#options;
    if (!programs) return refuse();
    return { processes: programs, files: unchangeable };
  }

  /** Who only looks sees the folder as it is, too. */
  async sync(): Promise<boolean> {
    if (this.#isDisposed) return false;
    const { readOnly } = this.#tree;
    await this.#serial.run(async () => {
      this.#tree.setReadOnly(false);
      try {
        await this.#read();
      } finally {
        this.#tree.setReadOnly(readOnly);
      }
    });
    return true;
  }

  /** What was read is stored: what has not been touched since need not be compared again. */
  published(): void {
    if (this.#lookedMs === undefined) return;
    try {
      writeFileSync(this.#options.lookedPath, `${this.#lookedMs}\n`, { mode: 0o600 });
    } catch {
      // Such as on a full disk: the snapshot is stored all the same, and the next look compares more.
    }
  }

  async replaceFiles(change: () => void): Promise<void> {
    this.#replaced++;
    await this.#serial.run(async () => {
      const folder = toByteString(this.#options.folder);
      const before = this.#tree.snapshot();
      const isIgnored = this.#rules();
      change();
      await writeFolder(this.#tree, { folder, isIgnored, before });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
  }

  async #read(): Promise<void> {
    const { folder, lookedPath } = this.#options;
    const beganMs = Date.now();
    await readFolder(this.#tree, {
      folder: toByteString(folder),
      isIgnored: this.#rules(),
      sinceMs: lastLookMs(lookedPath),
    });
    this.#lookedMs = beganMs;
  }

  #rules(): IgnoreRules {
    const path = join(this.#options.folder, ignoreFileName);
    try {
      if (statSync(path).size > folderLimits.ignoreBytes) {
        throw new SandboxError('limit-exceeded', `${path} has more than ${folderLimits.ignoreBytes} bytes`);
      }
      return parseIgnoreRules(readFileSync(path, 'utf8'));
    } catch (error) {
      if (isGone(error)) return () => false;
      throw error;
    }
  }
}

async function refuse(): Promise<never> {
  const message =
    'Nothing runs in the history of a folder: run the command in the folder itself, and change files there';
  throw new SandboxError('unsupported', message, { details: { feature: 'commands' } });
}

/** Files are changed by programs, and by whoever else has the folder. */
const unchangeable: FileChanger = {
  write: refuse,
  makeDirectory: refuse,
  remove: refuse,
  rename: refuse,
  copy: refuse,
};

/** Of a note that is lost, or cannot be read, every file is compared. */
function lastLookMs(path: string): number {
  try {
    const beganMs = Number(readFileSync(path, 'utf8'));
    return Number.isFinite(beganMs) ? beganMs : 0;
  } catch {
    return 0;
  }
}
