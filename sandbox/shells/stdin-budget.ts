import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';

/** Bytes of standard input that the runs of a sandbox's shells hold. */
export class StdinBudget {
  #bytes = 0;

  /** @throws busy when other runs hold too much */
  reserve(bytes: number): void {
    if (this.#bytes + bytes > limits.shellsStdinBytes) {
      const message = `Cannot write to the command: ${this.#bytes} bytes wait in the sandbox's shells. Let other commands end first`;
      throw new SandboxError('busy', message, { details: { limit: limits.shellsStdinBytes } });
    }
    this.#bytes += bytes;
  }

  release(bytes: number): void {
    this.#bytes -= bytes;
  }
}
