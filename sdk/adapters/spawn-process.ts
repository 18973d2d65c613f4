import { limits } from '../../protocol/limits.ts';
import type { RunOptions } from '../commands.ts';
import type { Sandbox } from '../sandbox.ts';

/** A process as frameworks with web streams know it. */
interface SpawnedProcess {
  readonly pid: number;
  readonly stdout: ReadableStream<Uint8Array>;
  readonly stderr: ReadableStream<Uint8Array>;
  readonly stdin?: WritableStream<Uint8Array>;
  /** @throws the signal's reason where it was aborted */
  wait(): Promise<{ exitCode: number }>;
  kill(): Promise<void>;
}

/**
 * Starts a command that goes on by itself. Output that is not read is kept, up to `limits.resultOutputBytes` of each
 * stream; then the process waits, as at a full pipe. What is no UTF-8 in it is replaced.
 * @throws what `commands.run` fails with, or the signal's reason
 */
export async function spawnProcess(
  sandbox: Sandbox,
  command: string,
  { stdin, signal, ...options }: Omit<RunOptions, 'stdin'> & { readonly stdin: boolean },
): Promise<SpawnedProcess> {
  const [stdout, stderr] = [new OutputStream(), new OutputStream()];
  const orReason = (error: unknown): never => {
    throw signal?.aborted ? signal.reason : error;
  };
  const handle = await sandbox.commands
    .run(command, {
      ...options,
      ...(signal ? { signal } : {}),
      ...(stdin ? { stdin: true } : {}),
      background: true,
      onStdout: (text) => stdout.push(text),
      onStderr: (text) => stderr.push(text),
    })
    .catch(orReason);
  const ended = handle.wait().catch(orReason);
  ended.then(
    () => [stdout, stderr].map((stream) => stream.end()),
    (error) => [stdout, stderr].map((stream) => stream.fail(error)),
  );
  return {
    pid: handle.pid,
    stdout: stdout.readable,
    stderr: stderr.readable,
    ...(stdin
      ? {
          stdin: new WritableStream<Uint8Array>({
            write: (bytes) => handle.sendStdin(bytes),
            close: () => handle.closeStdin(),
            abort: () => handle.closeStdin(),
          }),
        }
      : {}),
    wait: async () => ({ exitCode: (await ended).exitCode }),
    // It may have ended already.
    kill: () => handle.kill().catch(() => undefined),
  };
}

/** Text that comes, as a stream of bytes. */
class OutputStream {
  readonly readable: ReadableStream<Uint8Array>;
  readonly #encoder = new TextEncoder();
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #room: PromiseWithResolvers<void> | undefined;

  constructor() {
    this.readable = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#room?.resolve(),
        cancel: () => this.#close(),
      },
      { highWaterMark: limits.resultOutputBytes, size: (bytes) => bytes?.length ?? 0 },
    );
  }

  /** Resolves when there is room for more. */
  async push(text: string): Promise<void> {
    this.#controller?.enqueue(this.#encoder.encode(text));
    if ((this.#controller?.desiredSize ?? 1) > 0) return;
    this.#room = Promise.withResolvers<void>();
    await this.#room.promise;
  }

  end(): void {
    this.#controller?.close();
    this.#close();
  }

  fail(error: unknown): void {
    this.#controller?.error(error);
    this.#close();
  }

  #close(): void {
    this.#controller = undefined;
    this.#room?.resolve();
  }
}
