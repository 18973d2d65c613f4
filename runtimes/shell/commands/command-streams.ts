import { SandboxError } from '../../../protocol/errors.ts';
import type { ProgramCall } from '../../../shell/programs/program.ts';
import { readAll } from '../../../shell/programs/streams/input.ts';
import { ShellLimitError } from '../../../shell/shell-error.ts';
import { decodeText, encodeText } from '../../../shell/text.ts';
import type { CommandInput, CommandOutput } from './shell-command.ts';

const pieceBytes = 65_536;

/** Standard input of a command of the host. */
export function commandInput(call: ProgramCall, assertRuns: () => void): CommandInput {
  const bytes = async () => {
    assertRuns();
    try {
      return await readAll(call.stdin, call.signal);
    } catch (cause) {
      if (!(cause instanceof ShellLimitError)) throw cause;
      throw new SandboxError('limit-exceeded', `Cannot read standard input: ${cause.message}`, { cause });
    }
  };
  return {
    bytes,
    text: async () => decodeText(await bytes()),
    async *[Symbol.asyncIterator]() {
      for (;;) {
        assertRuns();
        const piece = await call.stdin.read(pieceBytes, call.signal);
        if (piece.length === 0) return;
        yield piece;
      }
    },
  };
}

/** An output of a command of the host, which may write without waiting. */
export class QueuedOutput implements CommandOutput {
  readonly #call: ProgramCall;
  readonly #name: 'stdout' | 'stderr';
  readonly #assertRuns: () => void;
  #written: Promise<void> = Promise.resolve();

  constructor(
    call: ProgramCall,
    { name, assertRuns }: { name: 'stdout' | 'stderr'; assertRuns: () => void },
  ) {
    this.#call = call;
    this.#name = name;
    this.#assertRuns = assertRuns;
  }

  write(data: string | Uint8Array): Promise<void> {
    const bytes = typeof data === 'string' ? encodeText(data) : data.slice();
    const written = this.#written.then(() => {
      this.#assertRuns();
      return this.#call[this.#name].write(bytes, this.#call.signal);
    });
    // A command that does not wait for it fails by `flush`, and not as an unhandled rejection.
    written.catch(() => {});
    this.#written = written;
    return written;
  }

  /** Resolves when all is written. @throws what the first write that failed threw */
  async flush(): Promise<void> {
    await this.#written;
  }
}
