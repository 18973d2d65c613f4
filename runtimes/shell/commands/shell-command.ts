/** A command of the host, in TypeScript: scripts call it by its name, as a program. It runs in the process of the host. */
export interface ShellCommand {
  /** Letters, digits and `_ . + -`. The command is there instead of a built-in or program of that name, but not of `bash` and `sh`. */
  readonly name: string;
  /**
   * Answers the exit code, 0 to 255. What it throws is told on standard error, and the exit code is 1. A promise that is still pending
   * when the process is killed is not waited for: heed `signal`.
   */
  run(call: ShellCommandCall): number | Promise<number>;
}

/** What a command is called with. Text that was not UTF-8 has a lone surrogate, U+DC80 to U+DCFF, for each such byte. */
export interface ShellCommandCall {
  /** Without the name. */
  readonly args: readonly string[];
  readonly stdin: CommandInput;
  readonly stdout: CommandOutput;
  readonly stderr: CommandOutput;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The files of the sandbox. Paths are relative to `cwd`. */
  readonly files: CommandFiles;
  /** Aborted when the process is killed, with the signal's name. */
  readonly signal: AbortSignal;
}

/** Standard input, in pieces as they come. */
export interface CommandInput extends AsyncIterable<Uint8Array> {
  /** All of it. @throws SandboxError limit-exceeded past 16 MiB (`shellLimits.inputBytes`) */
  bytes(): Promise<Uint8Array>;
  /** All of it, as UTF-8. @throws SandboxError limit-exceeded */
  text(): Promise<string>;
}

export interface CommandOutput {
  /** Resolves when there is room for more. What is written without waiting is written in order, before the command ends. @throws once nobody reads */
  write(data: string | Uint8Array): Promise<void>;
}

/** The files of a sandbox. Everything fails once the command's process has ended. */
export interface CommandFiles {
  read(path: string, options?: { readonly format?: 'text' }): Promise<string>;
  /** @throws SandboxError not-found; limit-exceeded past 16 MiB (`shellLimits.inputBytes`) */
  read(path: string, options: { readonly format: 'bytes' }): Promise<Uint8Array>;
  /** @throws SandboxError not-found without the directory; storage-full */
  write(path: string, data: string | Uint8Array, options?: { readonly mode?: number }): Promise<void>;
  /** Names in a directory, sorted. @throws SandboxError not-found */
  list(path: string): Promise<string[]>;
  exists(path: string): Promise<boolean>;
  /** Makes the directory and its parents; one that exists is left as it is. */
  makeDirectory(path: string): Promise<void>;
  /** Removes a file, or a directory with all it holds. @throws SandboxError not-found */
  remove(path: string): Promise<void>;
}
