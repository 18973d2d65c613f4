/** Ends `git` with a message, as git prints it, and an exit code. */
export class GitCommandError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = 128) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Where all of git is. */
const inMachine =
  'A machine or a host has all of git: use one for this, or move there (Run in a machine; `RoutedShell`).';

/** What real git may do and the git of a shell does not: a shell that moves goes where all of git is. */
export class NotInShellError extends GitCommandError {
  constructor(message: string, exitCode = 129) {
    super(`${message}\nhint: ${inMachine}`, exitCode);
  }
}

/** Of options that a command does not take here, such as real git may know. */
export function usageError(text: string): GitCommandError {
  return new NotInShellError(`error: ${text}`);
}
