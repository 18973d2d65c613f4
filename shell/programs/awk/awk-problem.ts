import type { ShellText } from '../../text.ts';

/** Ends the program: the message, with where it was reading, is printed after its name. */
export class AwkProblem extends Error {
  /** Whether the record at which it happened is told. */
  readonly isRunTime: boolean;

  constructor(message: ShellText, { isRunTime = true }: { isRunTime?: boolean } = {}) {
    super(message);
    this.isRunTime = isRunTime;
  }
}
