/** What the scripts within QuickJS are given of the world outside. Arguments and answers are JSON, or bytes. */
type CallHost = (call: HostCall, args: readonly unknown[], bytes?: ArrayBuffer) => HostAnswer;

export type HostAnswer = { readonly value: unknown } | { readonly code: string; readonly message: string };

export type HostCall =
  | 'appendFile'
  | 'chmod'
  | 'decode'
  | 'encode'
  | 'exit'
  | 'lstat'
  | 'mkdir'
  | 'output'
  | 'readFile'
  | 'readdir'
  | 'readlink'
  | 'realpath'
  | 'remove'
  | 'rename'
  | 'stat'
  | 'stdin'
  | 'symlink'
  | 'writeFile';

/** What the parts of the library share. Each part is one function, whose source is run in QuickJS: it may use nothing of its module. */
export interface GuestLibrary {
  /** Runs the text of a file as a script, and answers its value. */
  readonly evaluate: (source: string, file: string) => (...args: unknown[]) => void;
  readonly call: CallHost;
  readonly modules: Record<string, object>;
  readonly argv: readonly string[];
  readonly environment: Record<string, string>;
  readonly cwd: string;
  readonly timers: { at: number; id: number; every: number | undefined; run: () => void }[];
}
