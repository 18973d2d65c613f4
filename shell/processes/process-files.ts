import type { LiveTree } from '../../tree/live/live-tree.ts';
import type { FileCreator, OpenFlags } from '../files/tree-files.ts';
import { TreeFiles } from '../files/tree-files.ts';
import { BytesInput } from '../io/bytes-input.ts';
import type { DescriptorTable } from '../io/descriptor-table.ts';
import type { OpenFile } from '../io/open-file.ts';
import { ShellError } from '../shell-error.ts';
import type { ShellText } from '../text.ts';
import type { ProcessTable } from './process-table.ts';

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

/** The process whose environment a path is. */
function processOfPath(path: ShellText): number | undefined {
  const [, digits] = /^\/proc\/(\d{1,9})\/environ$/.exec(path) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/**
 * The sandbox's files as one process sees them: `/dev/fd/N` are its own open files, and `/proc/PID/environ` is there for shells
 * at a terminal. Once the process was killed every method throws
 * the signal's name: its program may still be on its way.
 */
export class ProcessFiles extends TreeFiles {
  readonly #descriptors: DescriptorTable;
  readonly #signal: AbortSignal;
  readonly #table: ProcessTable;

  constructor(
    files: TreeFiles,
    {
      descriptors,
      signal,
      table,
    }: { descriptors: DescriptorTable; signal: AbortSignal; table: ProcessTable },
  ) {
    super(files.tree);
    this.#descriptors = descriptors;
    this.#signal = signal;
    this.#table = table;
  }

  override get tree(): LiveTree {
    this.#signal.throwIfAborted();
    return super.tree;
  }

  override open(path: ShellText, flags: OpenFlags, creator: FileCreator): OpenFile {
    const pid = processOfPath(path);
    const environ = pid === undefined ? undefined : this.#table.get(pid)?.environ;
    if (environ) return new BytesInput(environ());
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
