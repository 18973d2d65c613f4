import type { ErrorName } from '../../shell-error.ts';
import type { ShellText } from '../../text.ts';

/** Programs that are compiled to WebAssembly. Each run of one has a thread that is ended with it. */
export const wasmPrograms = ['jq', 'js', 'sqlite3'] as const;

export type WasmProgram = (typeof wasmPrograms)[number];

/** A thread that runs `serveProgram`, for one program: it is held until `terminate` or `release`. */
export interface ProgramWorker {
  post(message: ToProgram): void;
  /** Replaces the listener before. */
  onMessage(listener: (message: FromProgram) => void): void;
  onFailure(listener: (reason: string) => void): void;
  /** Ends the thread, whatever it does. */
  terminate(): void;
  /** The program has ended by itself: the thread may serve another one. */
  release(): void;
}

export type StartProgramWorker = () => ProgramWorker;

/** What a program gets at its start. */
export interface ProgramStart {
  readonly program: WasmProgram;
  readonly args: readonly ShellText[];
  readonly environment: ReadonlyMap<ShellText, ShellText>;
  /** Absolute. */
  readonly cwd: ShellText;
  readonly isTerminal: { readonly stdin: boolean; readonly stdout: boolean };
  /** Bytes of memory that the program may have. */
  readonly memoryBytes: number;
}

export type ToProgram =
  | { readonly type: 'start'; readonly start: ProgramStart }
  | { readonly type: 'answer'; readonly id: number; readonly value: Answer }
  | { readonly type: 'failure'; readonly id: number; readonly code: ErrorName };

export type FromProgram =
  /** Answered in the order in which they come, but for standard input. */
  | { readonly type: 'question'; readonly id: number; readonly question: Question }
  | { readonly type: 'output'; readonly fd: 1 | 2; readonly bytes: Uint8Array }
  | { readonly type: 'end'; readonly exitCode: number };

/** Paths are absolute. */
export type Question =
  /** All of standard input. */
  | { readonly type: 'stdin' }
  | { readonly type: 'read'; readonly path: ShellText }
  /** A copy of all files. */
  | { readonly type: 'files' }
  | { readonly type: 'change'; readonly change: FileChange };

/** Bytes, a copy of all files, or nothing. */
export type Answer = Uint8Array | readonly CopiedFile[] | null;

/** A file of the tree as a program in another thread has it. A directory comes before what is in it. */
export interface CopiedFile {
  readonly path: ShellText;
  /** Type and permissions, as of Linux. */
  readonly mode: number;
  /** Milliseconds since the epoch. */
  readonly modifiedMs: number;
  /** Of a file. */
  readonly bytes?: Uint8Array;
  /** Of a file whose content is not in the copy, as there is no room for it. */
  readonly leftOutBytes?: number;
  /** Of a symbolic link. */
  readonly target?: ShellText;
}

export type FileChange =
  | { readonly type: 'write'; readonly path: ShellText; readonly bytes: Uint8Array }
  | { readonly type: 'append'; readonly path: ShellText; readonly bytes: Uint8Array }
  /** Writes, and fails with EBUSY where the file is no longer `before` (`null`: where there is one now). */
  | {
      readonly type: 'replace';
      readonly path: ShellText;
      readonly bytes: Uint8Array;
      readonly before: Uint8Array | null;
    }
  | { readonly type: 'makeDirectory'; readonly path: ShellText }
  | { readonly type: 'remove'; readonly path: ShellText }
  | { readonly type: 'rename'; readonly path: ShellText; readonly to: ShellText }
  | { readonly type: 'chmod'; readonly path: ShellText; readonly permissions: number }
  | { readonly type: 'symlink'; readonly path: ShellText; readonly target: ShellText };
