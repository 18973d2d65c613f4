/** Ends `git` with a message, as git prints it, and an exit code. */
export class GitCommandError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = 128) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Of options that a command does not take. */
export function usageError(text: string): GitCommandError {
  return new GitCommandError(`error: ${text}`, 129);
}
