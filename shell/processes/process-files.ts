import type { LiveTree } from '../../tree/live/live-tree.ts';
import type { FileCreator, OpenFlags } from '../files/tree-files.ts';
import { TreeFiles } from '../files/tree-files.ts';
import type { DescriptorTable } from '../io/descriptor-table.ts';
import type { OpenFile } from '../io/open-file.ts';
import { ShellError } from '../shell-error.ts';
import type { ShellText } from '../text.ts';

const standardDescriptors: ReadonlyMap<string, number> = new Map([
  ['/dev/stdin', 0],
  ['/dev/stdout', 1],
  ['/dev/stderr', 2],
]);

/** The descriptor that a path is another name of: `/dev/stdin`, `/dev/fd/63`. */
export function descriptorOfPath(path: ShellText): number | undefined {
  const standard = standardDescriptors.get(path);
  if (standard !== undefined) return standard;
  const [, digits] = /^\/(?:dev|proc\/self)\/fd\/(\d{1,6})$/.exec(path) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/**
 * The sandbox's files as one process sees them: `/dev/fd/N` are its own open files. Once the process was killed every method throws
 * the signal's name: its program may still be on its way.
 */
export class ProcessFiles extends TreeFiles {
  readonly #descriptors: DescriptorTable;
  readonly #signal: AbortSignal;

  constructor(
    files: TreeFiles,
    { descriptors, signal }: { descriptors: DescriptorTable; signal: AbortSignal },
  ) {
    super(files.tree);
    this.#descriptors = descriptors;
    this.#signal = signal;
  }

  override get tree(): LiveTree {
    this.#signal.throwIfAborted();
    return super.tree;
  }

  override open(path: ShellText, flags: OpenFlags, creator: FileCreator): OpenFile {
    const fd = descriptorOfPath(path);
    if (fd === undefined) return super.open(path, flags, creator, this.#signal);
    const file = this.#descriptors.get(fd);
    if (!file) throw new ShellError('ENOENT');
    // Linux opens a file anew, with a position of its own; of a pipe it is the same end.
    if (file.type === 'file' && file.path !== undefined && super.exists(file.path)) {
      return super.open(file.path, flags, creator, this.#signal);
    }
    file.retain();
    return file;
  }
}
