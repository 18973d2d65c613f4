import { signalExitCode } from '../processes/signals.ts';

// What leaves commands that are not done. These are no errors of the script: whoever catches errors lets them pass.

/** `break` and `continue`: leaves loops, the innermost first. */
export class LoopExit {
  readonly type: 'break' | 'continue';
  /** How many loops it concerns, at least one. */
  levels: number;
  /** The status of the loop that it leaves. */
  readonly status: number;

  constructor(type: 'break' | 'continue', levels: number, status = 0) {
    this.type = type;
    this.levels = levels;
    this.status = status;
  }
}

/** `return`: leaves a function or a sourced file. */
export class FunctionReturn {
  readonly status: number;

  constructor(status: number) {
    this.status = status;
  }
}

/** `exit`, `set -e` and fatal mistakes: ends the shell, or the subshell. */
export class ShellExit {
  readonly status: number;

  constructor(status: number) {
    this.status = status;
  }
}

/** A mistake of an expansion or an assignment: what is left of the line, or of the compound command at top level, is not run. */
export class CommandDiscard {
  readonly status: number;

  constructor(status: number) {
    this.status = status;
  }
}

/** A signal ends the shell, once its trap of `EXIT` has run. */
export class SignalledExit {
  readonly signal: string;

  constructor(signal: string) {
    this.signal = signal;
  }

  get status(): number {
    return signalExitCode(this.signal);
  }
}
