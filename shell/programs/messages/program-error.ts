import type { ShellText } from '../../text.ts';

/** Ends a program: the message is printed after the program's name. */
export class ProgramError extends Error {
  readonly status: number;
  /** Points to `--help` as well. */
  readonly isUsage: boolean;

  constructor(
    message: ShellText,
    { status = 1, isUsage = false }: { status?: number; isUsage?: boolean } = {},
  ) {
    super(message);
    this.status = status;
    this.isUsage = isUsage;
  }
}

/** Arguments that a program cannot be called with. The exit code is the program's own for it. */
export class UsageError extends ProgramError {
  constructor(message: ShellText, { hint = true }: { hint?: boolean } = {}) {
    super(message, { status: -1, isUsage: hint });
  }
}
