import { ByteRendezvous } from '../byte-rendezvous.ts';
import { SandboxError } from '../errors.ts';
import type { MachineProcessExit, MachineProcessListener } from '../machine-process.ts';
import type { ByteStream } from '../sandbox/network.ts';
import type { InitProcess } from './init-process.ts';

/** A connection to a port of the machine: a process of init that runs no program (IP-18). */
export class InitConnection implements ByteStream {
  readonly #process: InitProcess;
  readonly #incoming: ByteRendezvous;

  private constructor(process: InitProcess, incoming: ByteRendezvous) {
    this.#process = process;
    this.#incoming = incoming;
  }

  /** `start` begins the process, whose listener it gets. Rejects with whatever that rejects with. */
  static async open(
    start: (listener: MachineProcessListener) => Promise<InitProcess>,
  ): Promise<InitConnection> {
    const incoming = new ByteRendezvous();
    const process = await start((event) => {
      if (event.type === 'exit') return noteExit(incoming, event);
      if (event.bytes.length > 0) return incoming.give(event.bytes);
      incoming.end();
    });
    return new InitConnection(process, incoming);
  }

  read(): Promise<Uint8Array | undefined> {
    return this.#incoming.read();
  }

  async write(bytes: Uint8Array): Promise<void> {
    try {
      await this.#process.write(bytes);
    } catch (cause) {
      throw SandboxError.from(cause).code === 'not-found' ? brokenError() : cause;
    }
  }

  end(): Promise<void> {
    return this.#process.closeStdin();
  }

  async close(): Promise<void> {
    this.#incoming.close();
    await this.#process.close();
  }
}

/** After the end of what comes, an exit has nothing to add for who reads. */
function noteExit(incoming: ByteRendezvous, { reason, exitCode }: MachineProcessExit): void {
  if (reason === 'exited' && exitCode === 0) incoming.end();
  else if (reason === 'checkout' || reason === 'machine-failed') incoming.fail(goneError(reason));
  else incoming.fail(brokenError());
}

function brokenError(): SandboxError {
  return new SandboxError('connection-lost', 'The connection to the port broke');
}

function goneError(reason: 'checkout' | 'machine-failed'): SandboxError {
  const why = reason === 'checkout' ? 'the machine went back' : 'the machine stopped';
  return new SandboxError('connection-lost', `The connection to the port ended: ${why}`);
}
