import { readFileSync, writeFileSync } from 'node:fs';
import { SandboxError } from '../../../protocol/errors.ts';
import type { FileChanger, ProcessStarter } from '../../../sandbox/machine/machine-ports.ts';
import type { RunningMachine, SandboxMachine } from '../../../sandbox/machine/sandbox-machine.ts';
import { SerialQueue } from '../../../sandbox/serial-queue.ts';
import { type ByteString, toByteString } from '../../../tree/content/byte-string.ts';
import type { Coverage } from '../../../tree/history/snapshot-record.ts';
import type { LiveTree } from '../../../tree/live/live-tree.ts';
import { folderCoverage } from './folder-coverage.ts';
import { FolderRules, rulesInTree, rulesOnDisk } from './folder-rules.ts';
import type { IgnoreRules } from './ignore-rules.ts';
import { OpenFolder } from './open-folder.ts';
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
  /** What `.coppiceignore` of HEAD left out when this began, and what that of the last look does. */
  #before: IgnoreRules | undefined;
  #now: IgnoreRules = () => false;
  /** What was mounted below at the last look. */
  #mounts: readonly ByteString[] = [];
  #isDisposed = false;

  constructor(tree: LiveTree, options: FolderMachineOptions) {
    this.#tree = tree;
    this.#options = options;
  }

  get replaced(): number {
    return this.#replaced;
  }

  get coverage(): Coverage {
    return folderCoverage(this.#mounts);
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
      using opened = this.#open();
      const mounts = opened.mounts();
      const before = this.#tree.snapshot();
      const rules = this.#rules();
      change();
      const next = rulesInTree(this.#tree) ?? rules.now;
      const folder = toByteString(this.#options.folder);
      const mayWrite = rules.writeRules(next);
      await writeFolder(this.#tree, {
        folder,
        isIgnored: (path, kind) => mounts.has(path) || mayWrite(path, kind) !== 'all',
        before,
      });
      this.#before = next;
      this.#now = next;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
  }

  async #read(): Promise<void> {
    using folder = this.#open();
    const beganMs = Date.now();
    this.#now = rulesOnDisk(toByteString(this.#options.folder));
    const rules = this.#rules();
    const look = await readFolder(this.#tree, {
      folder,
      rules,
      sinceMs: lastLookMs(this.#options.lookedPath),
    });
    this.#mounts = look.mounts;
    if (look.isSettled) this.#lookedMs = beganMs;
  }

  #rules(): FolderRules {
    this.#before ??= rulesInTree(this.#tree) ?? this.#now;
    return new FolderRules({ before: this.#before, now: this.#now });
  }

  #open(): OpenFolder {
    return new OpenFolder(toByteString(this.#options.folder));
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
