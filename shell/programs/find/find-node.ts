import type { InodeView } from '../../../tree/live/file-tree.ts';
import type { ShellText } from '../../text.ts';

/** A file that `find` has come to. */
export interface FoundEntry {
  /** As it is printed: below the operand. */
  readonly name: ShellText;
  /** The operand that it was found by. */
  readonly start: ShellText;
  /** Absolute. */
  readonly path: ShellText;
  readonly depth: number;
  readonly inode: InodeView;
}

/** What a predicate or action answers; actions that run commands take time. */
export type Predicate = (entry: FoundEntry) => boolean | Promise<boolean>;

/** What holds for the whole search, gathered while the expression is read. */
export interface FindSettings {
  maxDepth: number;
  minDepth: number;
  isDepthFirst: boolean;
  follows: 'never' | 'operands' | 'always';
  /** `-quit` was reached. */
  hasQuit: boolean;
  /** The entry is not to be descended into. */
  isPruned: boolean;
  hasFailed: boolean;
}
