import type { ErrorData } from '../../../protocol/errors.ts';
import type { OpenedRecording } from '../../transports/replay-link.ts';
import type { Session } from './session-steps.ts';

/** How fast a recording can play. */
export const speeds = [0.5, 1, 2, 4, 8, 16] as const;

/** Everything a player shows besides the screen itself. Immutable; each change makes a new one. */
export interface ReplayState {
  readonly phase: 'empty' | 'opening' | 'ready' | 'failed';
  /** Why it cannot be opened, or why what was asked of it failed. */
  readonly problem: ErrorData | undefined;
  /** What is known of it, which grows. */
  readonly recording: OpenedRecording | undefined;
  /** The instant that is sought while the recording is not known up to it. */
  readonly awaited: number | undefined;
  readonly session: Session;
  readonly isPlaying: boolean;
  /** Whether playing waits for what has not been read or drawn yet. */
  readonly isWaiting: boolean;
  readonly speed: number;
  readonly skipsIdle: boolean;
  readonly terminal: number;
  /** The index of the last step that has begun; -1 before the first. */
  readonly step: number;
  /** The snapshot that the files are at; `undefined` where none is known yet. */
  readonly head: string | undefined;
  /** Whether files of the image are read from the site's copy of it. */
  readonly usesImage: 'no' | 'loading' | 'yes';
}

const emptySession: Session = { steps: [], terminals: [], heads: [] };

export const initialReplayState: ReplayState = {
  phase: 'empty',
  problem: undefined,
  recording: undefined,
  awaited: undefined,
  session: emptySession,
  isPlaying: false,
  isWaiting: false,
  speed: 1,
  skipsIdle: true,
  terminal: 1,
  step: -1,
  head: undefined,
  usesImage: 'no',
};
