import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import type { ByteString } from '../../../tree/content/byte-string.ts';
import { toDisplayText } from '../../../tree/content/byte-string.ts';
import { treeLimits } from '../../../tree/limits.ts';
import { HostTool } from '../../programs/host-tool.ts';
import { type DiskNode, type DiskStat, joinPath } from '../disk-node.ts';
import { FrameReader } from './frame-reader.ts';
import {
  type AheadBudget,
  aheadRequest,
  goRequest,
  listRequest,
  lookRequest,
  mostSeen,
  readRequest,
  type ScanFrame,
  seenRequest,
  settleRequest,
  usedRequest,
} from './scan-frames.ts';

/** A file as a scanner told it. */
export interface FoundFile {
  readonly stat: DiskStat;
  /** Of a symlink. */
  readonly target: ByteString | undefined;
  /** All that is in a directory, with the inodes. */
  names: Map<ByteString, bigint> | undefined;
}

/** Files by their path below the folder; the folder's own is `''`. */
export type FoundFiles = Map<ByteString, FoundFile>;

/** Bytes of requests written at a time: one by one they would be a system call each. */
const batchBytes = 65_536;

/**
 * The program guest/scan at work on one folder: it remembers what it has seen there, so that it tells
 * only what is new. Owns the process. After anything was thrown it is of no more use.
 */
export class FolderScanner implements AsyncDisposable {
  readonly #tool: HostTool;
  readonly #frames: FrameReader;
  #folder: string;

  constructor(program: string, folder: string) {
    this.#folder = folder;
    // It opens files by their paths below the folder, without the first slash.
    const pathBytes = treeLimits.pathBytes - 1;
    this.#tool = new HostTool(program, [folder, String(limits.inodes), String(pathBytes)]);
    this.#frames = new FrameReader(this.#tool.stdout);
  }

  /**
   * Looks at `folder` from now on, a copy of the one before with the same inode numbers and times; what
   * was seen there counts.
   */
  go(folder: string): void {
    if (folder === this.#folder) return;
    this.#folder = folder;
    void this.#ask([goRequest(folder)]);
  }

  /**
   * Has the first look take for seen what another scanner has seen in this folder, or in one of which it is a copy
   * with the same inode numbers and times: all of `root`. A file that is another since then has another time of
   * change, which no program can set, so a clock that was put back hides nothing here either.
   */
  async remember(root: DiskNode): Promise<void> {
    const requests: Uint8Array[] = [];
    let files: DiskStat[] = [];
    const waiting = [root];
    for (let node = waiting.pop(); node; node = waiting.pop()) {
      files.push(node.stat);
      for (const child of node.children?.values() ?? []) waiting.push(child);
      if (files.length < mostSeen && waiting.length > 0) continue;
      requests.push(seenRequest(files));
      files = [];
    }
    await this.#ask(requests);
  }

  /** Whether the process is gone, as when the host ran out of memory. */
  get hasEnded(): boolean {
    return this.#tool.hasEnded;
  }

  /**
   * Finds what is not as this scanner has seen it before, and what was changed at `racyFromNs` (since
   * 1970) or later. Nothing may change the folder meanwhile.
   * @throws limit-exceeded for paths that Linux does not open, and for more files than a tree has
   */
  async look(racyFromNs: bigint): Promise<FoundFiles> {
    const found: FoundFiles = new Map();
    void this.#ask([lookRequest(racyFromNs)]);
    await this.#takeFiles(found);
    return found;
  }

  /** Adds to `found` what is at `paths` and below them. @throws as `look` */
  async list(paths: readonly ByteString[], found: FoundFiles): Promise<void> {
    void this.#ask(paths.map(listRequest));
    for (const _ of paths) await this.#takeFiles(found);
  }

  /**
   * Has the times of the files at `paths` tell what is written to them from now on, also through mappings that are
   * there. Answers whether they do: writing a file's pages to disk may fail. Nothing may write to them meanwhile. With
   * `onlyLittle`, those stay as they are of which much is to be written, which takes long: they are `unsettled`.
   * @throws as `next`
   */
  async settle(
    paths: readonly ByteString[],
    { onlyLittle = false }: { readonly onlyLittle?: boolean } = {},
  ): Promise<{ readonly isSettled: boolean; readonly unsettled: readonly ByteString[] }> {
    void this.#ask(paths.map((path) => settleRequest(path, { onlyLittle })));
    let isSettled = true;
    const unsettled: ByteString[] = [];
    for (const path of paths) {
      const answer = await this.#answer();
      if (answer === 2) unsettled.push(path);
      else isSettled &&= answer === 0;
    }
    return { isSettled, unsettled };
  }

  /** Which of the files a process has open for writing, or may have. @throws as `next` */
  async used(paths: readonly ByteString[]): Promise<ReadonlySet<ByteString>> {
    void this.#ask(paths.map(usedRequest));
    const used = new Set<ByteString>();
    for (const path of paths) if ((await this.#answer()) !== 0) used.add(path);
    return used;
  }

  /**
   * Begins to read the first of the files at `paths`, as many as `budget` lets be read into memory. Resolves to how many,
   * once they are: they may change from then on. @throws as `next`
   */
  async readAhead(paths: readonly ByteString[], budget: AheadBudget): Promise<number> {
    void this.#ask([aheadRequest(paths.length, budget), ...paths.map(readRequest)]);
    return this.#answer();
  }

  /** Begins to read files: `next` then gives the frames of one after the other. */
  read(paths: readonly ByteString[]): void {
    void this.#ask(paths.map(readRequest));
  }

  /** The next frame. @throws limit-exceeded, internal */
  async next(): Promise<Exclude<ScanFrame, { type: 'failed' }>> {
    const frame = await this.#frames.next().catch((cause: unknown) => this.#explain(cause));
    if (frame.type !== 'failed') return frame;
    throw new SandboxError(
      frame.byLimit ? 'limit-exceeded' : 'internal',
      `${what}: ${toDisplayText(frame.text)}`,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tool[Symbol.asyncDispose]();
  }

  /** What an answer of one frame says. */
  async #answer(): Promise<number> {
    const frame = await this.next();
    if (frame.type === 'done') return frame.sizeBytes;
    throw new SandboxError('internal', `${what}: the scanner told ${frame.type} out of turn`);
  }

  /** Not awaited: the scanner takes requests while its answers are read, and disposing of it ends the wait. */
  async #ask(requests: readonly Uint8Array[]): Promise<void> {
    let batch: Uint8Array[] = [];
    let bytes = 0;
    for (const request of requests) {
      batch.push(request);
      bytes += request.length;
      if (bytes < batchBytes) continue;
      await this.#tool.write(Buffer.concat(batch));
      batch = [];
      bytes = 0;
    }
    if (bytes > 0) await this.#tool.write(Buffer.concat(batch));
  }

  async #takeFiles(found: FoundFiles): Promise<void> {
    /** Several threads tell: what is in a directory may come before the directory, and in parts. */
    const names = new Map<ByteString, Map<ByteString, bigint>>();
    let at: { path: ByteString; names: Map<ByteString, bigint> | undefined } = { path: '', names: undefined };
    for (let told = 0; told <= limits.inodes; ) {
      const frame = await this.next();
      if (frame.type === 'done') return addNames(found, names);
      if (frame.type === 'enter') {
        at = { path: frame.path, names: undefined };
        if (!frame.isWhole) continue;
        at.names = names.get(frame.path) ?? new Map();
        names.set(frame.path, at.names);
      } else if (frame.type === 'same') {
        told += frame.names.length;
        for (const [name, ino] of frame.names) at.names?.set(name, ino);
      } else if (frame.type === 'file') {
        told += 1;
        const { name, stat, target } = frame;
        if (name !== '') at.names?.set(name, stat.ino);
        found.set(name === '' ? '' : joinPath(at.path, name), { stat, target, names: undefined });
      }
    }
    throw new SandboxError('internal', `${what}: the scanner tells of more than it may`);
  }

  /** What the program said of it is more use than that its answer ended. */
  async #explain(cause: unknown): Promise<never> {
    await this.#tool[Symbol.asyncDispose]();
    const said = await this.#tool.finish().catch((error: unknown) => error);
    const why = said instanceof Error ? said.message : (cause as Error).message;
    throw new SandboxError('internal', `${what}: ${why}`, { cause });
  }
}

function addNames(found: FoundFiles, names: ReadonlyMap<ByteString, Map<ByteString, bigint>>): void {
  for (const [path, inside] of names) {
    const directory = found.get(path);
    if (directory) directory.names = inside;
  }
}

const what = 'Cannot read the files of a sandbox';
