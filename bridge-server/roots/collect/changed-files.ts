import { SandboxError } from '../../../protocol/errors.ts';
import type { ByteString } from '../../../tree/content/byte-string.ts';
import { treeLimits } from '../../../tree/limits.ts';
import type { FolderScanner } from '../scan/folder-scanner.ts';
import type { AheadBudget, FileState, ScanFrame } from '../scan/scan-frames.ts';
import type { Xattrs } from '../supported-metadata.ts';

type ContentFrame = Extract<ScanFrame, { type: 'data' | 'done' }>;

/** The attributes and content of regular files and directories on disk, one after the other. */
export class ChangedFiles {
  readonly #scanner: FolderScanner;
  #unread: number;
  /** What was read of the current file and not yet asked for. */
  #content: ContentFrame | undefined;

  private constructor(scanner: FolderScanner, files: number) {
    this.#scanner = scanner;
    this.#unread = files;
  }

  /** Begins to read the files at `paths`. */
  static open(scanner: FolderScanner, paths: readonly ByteString[]): ChangedFiles {
    scanner.read(paths);
    return new ChangedFiles(scanner, paths.length);
  }

  /** Begins to read the first of the files, as `FolderScanner.readAhead` does. @throws internal */
  static async openAhead(
    scanner: FolderScanner,
    { paths, budget }: { readonly paths: readonly ByteString[]; readonly budget: AheadBudget },
  ): Promise<ChangedFiles> {
    return new ChangedFiles(scanner, await scanner.readAhead(paths, budget));
  }

  /** How many files come next. */
  get left(): number {
    return this.#unread;
  }

  /** What the current file was when it had been read; absent where it was no more, or another. Skips the rest of it. @throws internal */
  async after(): Promise<FileState | undefined> {
    while (this.#content?.type !== 'done') this.#content = await this.#nextContent();
    return this.#content.after;
  }

  /** The attributes of the next file of the list. What was not taken of the last one is skipped. @throws limit-exceeded, internal */
  async next(): Promise<Xattrs> {
    while (this.#content && this.#content.type !== 'done') this.#content = await this.#nextContent();
    if (this.#unread === 0) throw new SandboxError('internal', 'Cannot read more files than were asked for');
    this.#unread -= 1;
    const attributes = new Map<ByteString, Uint8Array>();
    let bytes = 0;
    for (;;) {
      const frame = await this.#scanner.next();
      if (frame.type !== 'attribute') {
        this.#content = contentFrame(frame);
        return attributes;
      }
      bytes += frame.name.length + frame.value.length;
      if (bytes > attributeBytes) {
        throw new SandboxError('limit-exceeded', 'Cannot read the attributes of a file: there are too many');
      }
      attributes.set(frame.name, frame.value);
    }
  }

  /**
   * Gives the data of the file that `next` has begun to `take`, with their offsets in rising order;
   * what is between them is a hole. Resolves to the size of the file. @throws internal
   */
  async content(take: (offset: number, bytes: Uint8Array) => void): Promise<number> {
    let frame = this.#content ?? (await this.#nextContent());
    let end = 0;
    for (; frame.type === 'data'; frame = await this.#nextContent()) {
      if (frame.offset < end) throw unexpected('data');
      end = frame.offset + frame.bytes.length;
      take(frame.offset, frame.bytes);
    }
    this.#content = frame;
    if (frame.sizeBytes < end) throw unexpected('a size');
    return frame.sizeBytes;
  }

  async #nextContent(): Promise<ContentFrame> {
    return contentFrame(await this.#scanner.next());
  }
}

/** Twice what a tree takes: some are overlay's own. */
const attributeBytes = 2 * treeLimits.xattrBytes;

function contentFrame(frame: ScanFrame): ContentFrame {
  if (frame.type === 'data' || frame.type === 'done') return frame;
  throw unexpected(frame.type);
}

function unexpected(what: string): SandboxError {
  return new SandboxError(
    'internal',
    `Cannot read the files of a sandbox: the scanner told ${what} out of turn`,
  );
}
