import type { Socket } from 'node:net';

/** How a program has ended; `failure` says why it never ran, or that nobody knows any more. */
export interface ProgramEnd {
  readonly code?: number | undefined;
  readonly signal?: NodeJS.Signals | undefined;
  readonly failure?: string | undefined;
}

/** A program of the host that was started: its own process. What becomes of its sockets is their user's part. */
export interface Program {
  /** To the descriptors that were asked for, in that order. */
  readonly sockets: readonly Socket[];
  /** Resolves to its process id once it runs, or to `undefined` when it never does. */
  readonly pid: Promise<number | undefined>;
  /** Resolves when it has ended, or did not start. Never rejects. */
  readonly ended: Promise<ProgramEnd>;
  readonly hasEnded: boolean;
  /** Sends a signal; what is only about to start does not start then. */
  kill(signal: 'SIGTERM' | 'SIGKILL'): void;
}

export interface StartOptions {
  /** Descriptors of the program, below 8, that are connected with the sockets. The standard ones else lead nowhere. */
  readonly descriptors: readonly number[];
  /** Its whole environment; nothing of ours is any of its business. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts a program by its path, or by its name where `env` has a `PATH`, in `/`. Never throws: `ended` tells. */
export type StartProgram = (command: readonly [string, ...string[]], options: StartOptions) => Program;
