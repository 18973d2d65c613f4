import type { ProcessHandle, ProcessListener } from './processes.ts';

export interface ShellOptions {
  /** Where it begins; the sandbox's directory by default. */
  readonly cwd?: string;
  readonly envs?: Readonly<Record<string, string>>;
  /** `user` (the default) or `root`. */
  readonly user?: 'user' | 'root';
}

/**
 * Parts of a shell's state that no snapshot has: jobs and traps never, the others when they are too large. Variables also
 * when one of the sandbox's environment has become an array, which may contain its value. Of a shell that has just been
 * restored, also those that its bash did not take, or that were lost before.
 */
export const lostShellParts = ['jobs', 'traps', 'variables', 'functions', 'aliases', 'options'] as const;

export type LostShellPart = (typeof lostShellParts)[number];

export interface ShellInfo {
  readonly id: string;
  readonly user: 'user' | 'root';
  /** After its last run. */
  readonly cwd: string;
  /** Whether one of its commands runs. */
  readonly isRunning: boolean;
  readonly lost: readonly LostShellPart[];
}

export interface RestoreShell {
  readonly bytes: Uint8Array;
  /** Whom the state has to be of; whoever it is of by default. */
  readonly user?: ShellOptions['user'];
}

export interface ShellRun {
  readonly id: string;
  /** Runs in the shell itself, as if it were typed there. */
  readonly command: string;
  /**
   * Whether standard input is written: the command begins once that is closed, and reads what was written until then. It ends
   * with an error when its turn has come and nothing is written for `limits.shellStdinTimeoutMs`.
   */
  readonly stdin?: boolean;
}

/**
 * Shells of a sandbox: bash that goes on from one command to the next with its directory, variables, functions,
 * aliases, options and history. A snapshot has their state, so checkouts and forks do too.
 */
export interface ShellsFacet {
  /**
   * Opens a new shell, or finds the one with `id`. Shells belong to the sandbox: every client can run in each.
   * @throws not-found for an id or a directory that does not exist; limit-exceeded past `limits.shells`; timeout where
   * bash does not answer; unsupported
   */
  open(ask: ShellOptions & { readonly id?: string }): Promise<ShellInfo>;
  /**
   * Runs a command after those that the shell was asked for before. A command that ends the shell, or is killed, is
   * undone in its state: the next one goes on from where the one before was.
   * @throws not-found; busy past `limits.shellWaitingRuns`; limit-exceeded for a command that is too long
   */
  run(ask: ShellRun, listener: ProcessListener): Promise<ProcessHandle>;
  list(): Promise<readonly ShellInfo[]>;
  /**
   * The state of a shell after its last run, as a snapshot has it (SN-15): for `restore`, here or in another sandbox. It lacks
   * what `ShellInfo.lost` names. @throws not-found
   */
  save(ask: { readonly id: string }): Promise<Uint8Array>;
  /**
   * Opens a new shell that goes on from what `save` gave; its user is the one of the state. `lost` names what of it the
   * shell does not have. @throws not-found where it cannot be in the state's directory; invalid-argument for what is no state, of
   * another user than `user`, or longer than `limits.savedShellBytes`; otherwise as `open`
   */
  restore(ask: RestoreShell): Promise<ShellInfo>;
  /** Ends the shell with all that runs in it. @throws not-found */
  close(ask: { readonly id: string }): Promise<void>;
}
