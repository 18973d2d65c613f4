import type { ByteString } from '../../../tree/content/byte-string.ts';
import type { ContentCache } from '../../../tree/live/content-cache.ts';
import type { TreeSnapshot } from '../../../tree/live/tree-snapshot.ts';
import type { FileKey } from './find-writers.ts';
import type { WriteRules } from './folder-rules.ts';
import type { Intention } from './intention.ts';
import type { OpenFolder } from './open-folder.ts';
import type { WriteStep } from './plan-write.ts';

export interface WriteOptions {
  readonly folder: OpenFolder;
  /** What they leave out is made where nothing is, and else left as it is. */
  readonly rules: WriteRules;
  /** What the folder has, as it was just read. */
  readonly before: TreeSnapshot;
  /** Loads what the trees have of files. */
  readonly content?: ContentCache | undefined;
  /** Notes what is about to be written, before the first change. */
  readonly begin?: (intention: Pick<Intention, 'id' | 'paths' | 'holders'>) => void;
  /** Called once the folder has all of `tree`, while all that was there can still be put back: HEAD moves. */
  readonly moveHead?: (() => Promise<void>) | undefined;
  readonly probe?: WriteProbe | undefined;
}

/** For tests, which are the other programs of the host. */
export interface WriteProbe {
  /** Called between any two steps of a write. */
  readonly between?: () => void;
  /** Those that may have files open: by default all that there are. */
  readonly processes?: () => readonly number[];
  /** Instead of writing to disk what was written, which a busy disk takes long for. */
  readonly flush?: () => void;
}

/** A step that was begun, and what has come of it. */
export interface BegunStep extends WriteStep {
  readonly index: number;
  readonly holder: ByteString;
  /** Where what was at the path is now, below the folder. */
  old?: ByteString;
  /** Which file or link was put there. */
  made?: FileKey;
  /** Whether a directory was made or removed, or attributes were set. */
  isDone?: boolean;
}
