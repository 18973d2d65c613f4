import { writeFileSync } from 'node:fs';
import { SandboxError } from '../../../protocol/errors.ts';
import { diskCoverage } from '../../../sandbox/capture/disk-coverage.ts';
import type { FileChanger, ProcessStarter } from '../../../sandbox/machine/machine-ports.ts';
import type {
  ReplaceOptions,
  RunningMachine,
  SandboxMachine,
} from '../../../sandbox/machine/sandbox-machine.ts';
import { SerialQueue } from '../../../sandbox/serial-queue.ts';
import { type ByteString, toByteString, toDisplayText } from '../../../tree/content/byte-string.ts';
import type { ObjectId } from '../../../tree/content/object-id.ts';
import type { Coverage } from '../../../tree/history/snapshot-record.ts';
import type { ContentCache } from '../../../tree/live/content-cache.ts';
import { LiveTree } from '../../../tree/live/live-tree.ts';
import type { TreeSnapshot } from '../../../tree/live/tree-snapshot.ts';
import { FolderRules, keptRules, noRules, type ReadRules, rulesInTree, rulesOnDisk } from './folder-rules.ts';
import type { IgnoreRules } from './ignore-rules.ts';
import { readIntention, removeIntention, writeIntention } from './intention.ts';
import { forgetLastLook, type LastLook, readLastLook, writeLastLook } from './last-look.ts';
import { folderLimits } from './limits.ts';
import { OpenFolder } from './open-folder.ts';
import { type FolderLook, readFolder } from './read-folder.ts';
import { settleLeftovers } from './settle-leftovers.ts';
import { writeFolder } from './write-folder.ts';
import type { WriteProbe } from './write-options.ts';

export interface FolderMachineOptions {
  /** A folder of this host, whose files are the sandbox's. */
  readonly folder: string;
  /** Where the last whole look is noted. */
  readonly lookedPath: string;
  /** Where the rules are kept that hold whatever an agent makes of them (`keptRules`). */
  readonly rulesPath: string;
  /** Whether what has changed is an agent's work. */
  readonly isAgents?: boolean | undefined;
  /** Where it is noted that the folder is being written. */
  readonly intentionPath: string;
  /** What runs programs in the folder, for its owner to end; by default nothing does. */
  readonly programs?: ProcessStarter | undefined;
  /** Told of each look at the folder. */
  readonly onLook?: ((look: FolderLook) => void) | undefined;
  readonly probe?: WriteProbe | undefined;
}

/** What the machine gets of the sandbox, beside its tree. */
export interface FolderTrees {
  /** The files of a stored tree. @throws missing-object, corrupt-object */
  load(tree: ObjectId): TreeSnapshot;
  readonly content?: ContentCache;
  readonly readOnly: boolean;
}

/**
 * In place of the machine of a sandbox whose files are a folder of the host: it runs nothing by itself, since programs work in that folder
 * without it, reads the folder when a snapshot is taken, and writes it when one is checked out.
 */
export class FolderMachine implements SandboxMachine {
  readonly mayRefuse = true;
  readonly #tree: LiveTree;
  readonly #options: FolderMachineOptions;
  readonly #trees: FolderTrees;
  readonly #serial = new SerialQueue();
  #replaced = 0;
  /** The last whole look. */
  #lastLook: LastLook | undefined;
  /** `.coppiceignore` of HEAD when this began, and that of the last look. */
  #before: ReadRules | undefined;
  #now = noRules;
  readonly #kept: ReadRules;
  /** What the rules leave out from now on, and somebody has changed since HEAD. */
  readonly #changed = new Set<ByteString>();
  /** What was mounted below at the last look. */
  #mounts: readonly ByteString[] = [];
  #isDisposed = false;

  constructor(tree: LiveTree, trees: FolderTrees, options: FolderMachineOptions) {
    this.#tree = tree;
    this.#trees = trees;
    this.#options = options;
    this.#kept = keptRules(options.rulesPath);
  }

  get replaced(): number {
    return this.#replaced;
  }

  get coverage(): Coverage {
    return folderCoverage(this.#mounts);
  }

  /** What a write that was ended amid its work has left goes. */
  async start(): Promise<void> {
    const { intentionPath } = this.#options;
    const intention = readIntention(intentionPath);
    if (!intention || this.#trees.readOnly) return;
    using folder = this.#open();
    settleLeftovers({
      folder,
      intention,
      from: this.#load(intention.from.tree),
      to: this.#load(intention.to.tree),
    });
  }

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

  publishing(): void {
    forgetLastLook(this.#options.lookedPath);
  }

  /** What was read is stored. */
  published(): void {
    if (this.#before && this.#before.text !== this.#now.text) this.#keepRules();
    if (this.#lastLook) writeLastLook(this.#options.lookedPath, this.#lastLook);
  }

  /** A write that was noted and not ended stays noted until another one is done. */
  async replaceFiles(change: () => void, { move }: ReplaceOptions): Promise<void> {
    this.#replaced++;
    const { intentionPath, probe } = this.#options;
    await this.#serial.run(async () => {
      using folder = this.#open();
      const before = this.#tree.snapshot();
      const rules = this.#rules();
      const earlier = readIntention(intentionPath);
      change();
      const next = rulesInTree(this.#tree) ?? this.#now;
      try {
        await writeFolder(this.#tree, {
          folder,
          rules: rules.writeRules(next.isIgnored),
          before,
          content: this.#trees.content,
          begin: (plan) => {
            if (move) writeIntention(intentionPath, { ...plan, ...move.between, beganMs: Date.now() });
          },
          moveHead: move?.moveHead,
          probe,
        });
      } catch (error) {
        if (SandboxError.from(error).details.isPutBack === true) {
          if (earlier) writeIntention(intentionPath, earlier);
          else removeIntention(intentionPath);
        }
        throw error;
      }
      removeIntention(intentionPath);
      this.#before = next;
      this.#now = next;
      this.#changed.clear();
      this.#keepRules();
    });
  }

  #load(tree: ObjectId): LiveTree {
    const { content } = this.#trees;
    return LiveTree.from(this.#trees.load(tree), { readOnly: true, ...(content ? { content } : {}) });
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
      since: readLastLook(this.#options.lookedPath),
    });
    this.#mounts = look.mounts;
    this.#options.onLook?.(look);
    if (look.isSettled) this.#lastLook = { beganMs, directories: look.directories };
  }

  #rules(): FolderRules {
    this.#before ??= rulesInTree(this.#tree) ?? this.#now;
    const [head, kept, now] = [this.#before, this.#kept, this.#now];
    // Mostly all are the same, and each is asked of each file.
    const others = [head, ...(kept.text === '' || kept.text === head.text ? [] : [kept])];
    const isSame = others.every(({ text }) => text === now.text);
    const before: IgnoreRules = (path, kind) => others.some(({ isIgnored }) => isIgnored(path, kind));
    return new FolderRules({
      before: isSame ? now.isIgnored : before,
      now: now.isIgnored,
      changed: this.#changed,
    });
  }

  /** From the next command on. */
  #keepRules(): void {
    const { rulesPath, isAgents } = this.#options;
    if (isAgents) return;
    try {
      writeFileSync(rulesPath, this.#now.text, { mode: 0o600 });
    } catch {
      // Those of before hold on: less is in the history.
    }
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

/** What a snapshot of a folder holds, where something is mounted at paths below (H-6). */
function folderCoverage(mounts: readonly ByteString[]): Coverage {
  if (mounts.length === 0) return diskCoverage;
  const named = mounts
    .slice(0, folderLimits.namedMounts)
    .map((path) => `/${toDisplayText(path).slice(0, 200)}`);
  const others = mounts.length - named.length;
  const where = `${named.join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
  const why = `something is mounted at ${where}, which is neither read nor changed`;
  return { ...diskCoverage, files: { captured: false, why }, mounts: { captured: false, why } };
}
