import type { ChangeSummary } from '../../tree/history/snapshot-record.ts';

/** The terminal whose output is that of the asciicast: every public player shows it. Further ones count up from 2. */
export const firstTerminal = 1;

/** How a snapshot stands in a recording. Its record and its objects came before, in events `objects`. */
export interface RecordedSnapshot {
  readonly type: 'snapshot';
  readonly id: string;
  readonly parents: readonly string[];
  /** What the history shows for it: its command or label. */
  readonly label: string;
  readonly changes: ChangeSummary;
  readonly takenAtMs: number;
  readonly hasMemory?: boolean;
}

/**
 * What happened, one after the other. In the file, `output`, `input` and `resize` of the first terminal are the codes `o`, `i` and `r`
 * of an asciicast, a marker is `m`, the end of the session is `x`, and everything else is the code `C` with its JSON as a string,
 * which public players skip. Texts are data of a sandbox, a program or a model (H-9).
 */
export type RecordingEvent =
  | { readonly type: 'output'; readonly terminal: number; readonly data: string }
  | { readonly type: 'input'; readonly terminal: number; readonly data: string }
  | {
      readonly type: 'resize';
      readonly terminal: number;
      readonly columns: number;
      readonly rows: number;
    }
  /** For public players; ours shows commands and snapshots. A marker of a snapshot ends with its id: `make test (1f2e3d4c5b6a)`. */
  | { readonly type: 'marker'; readonly label: string }
  /** A terminal was opened; the first one is there from the beginning. `command`: what runs in it. */
  | {
      readonly type: 'terminal';
      readonly terminal: number;
      readonly title: string;
      readonly columns: number;
      readonly rows: number;
    }
  | { readonly type: 'terminal-end'; readonly terminal: number; readonly exitCode?: number }
  /** Bytes that paint what a terminal shows at this moment, from an empty one of that size: no reader needs what came before. */
  | {
      readonly type: 'keyframe';
      readonly terminal: number;
      readonly columns: number;
      readonly rows: number;
      readonly data: string;
    }
  /** A command begins. `command` counts up from 1. `terminal`: the terminal that shows it. */
  | {
      readonly type: 'command';
      readonly command: number;
      readonly text: string;
      readonly argv?: readonly string[];
      readonly cwd?: string;
      readonly user?: string;
      /** As `RanCommand.by`: `exec`, `shell`, `terminal`, `client`; a newer version may say more. */
      readonly by: string;
      readonly terminal: number;
    }
  /** What its terminal shows from here on is of this command's stream; `stdout` of it from its beginning. */
  | { readonly type: 'source'; readonly command: number; readonly stream: 'stdout' | 'stderr' }
  | {
      readonly type: 'command-end';
      readonly command: number;
      readonly exitCode: number;
      readonly signal?: string;
      readonly reason?: string;
      readonly durationMs: number;
      /** SHA-256 in hexadecimal of all bytes of both streams, as they were before anything was replaced or turned into text. */
      readonly output?: { readonly stdout: string; readonly stderr: string; readonly sizeBytes: number };
    }
  /** A part of an export (protocol/SPEC.md, SN-9) of `snapshot`, without what the image and earlier snapshots of the file refer to. */
  | {
      readonly type: 'objects';
      readonly snapshot: string;
      /** Base64, of at most `recordingLimits.objectsPieceBytes`. */
      readonly data: string;
      readonly isLast?: boolean;
    }
  | RecordedSnapshot
  /** HEAD moved to a snapshot that came before: a checkout, an undo, a merge. */
  | { readonly type: 'head'; readonly id: string }
  /** A call of a tool by an agent, and what came of it. `id` is the agent's. */
  | {
      readonly type: 'call';
      readonly id: string;
      readonly tool: string;
      readonly arguments: unknown;
      /** HEAD when it began. */
      readonly snapshot?: string;
    }
  | {
      readonly type: 'result';
      readonly id: string;
      readonly result: unknown;
      readonly isError?: boolean;
      /** HEAD when it had ended. */
      readonly snapshot?: string;
    }
  /** What somebody said: Markdown of a person or a model. `id`, `parent`: where messages are a tree. */
  | {
      readonly type: 'message';
      readonly role: 'user' | 'assistant' | 'system' | 'thinking';
      readonly text: string;
      readonly id?: string;
      readonly parent?: string;
      readonly model?: string;
    }
  | { readonly type: 'note'; readonly text: string }
  /** A chapter begins: as a rule a step of a demo or a tutorial. */
  | { readonly type: 'chapter'; readonly title: string }
  /** A line of an imported file that this version does not understand, as it was. */
  | { readonly type: 'foreign'; readonly format: string; readonly line: string }
  /** How many values were replaced by now, by the kind of secret; each was replaced by `<secret:KIND:HASH8>`. */
  | { readonly type: 'redacted'; readonly counts: Readonly<Record<string, number>> }
  /** The session ended as it should; absent in a file that was cut. */
  | { readonly type: 'end'; readonly exitCode: number }
  /** Of a newer version: kept and skipped. */
  | { readonly type: 'unknown'; readonly code: string; readonly data: string };

/** An event and when it happened. */
export interface TimedEvent {
  /** Seconds since the recording began, to the millisecond; never less than that of the event before. */
  readonly at: number;
  readonly event: RecordingEvent;
}
