import type { ExecRequest, ProcessHandle } from '../../protocol/sandbox/processes.ts';
import { type ProcessListener, WatchedProcess, type WatchedProcessParts } from './watched-process.ts';

/** The processes that clients start in a sandbox: each is watched for what it does to the history. */
export class SandboxProcesses {
  readonly #parts: WatchedProcessParts;

  constructor(parts: WatchedProcessParts) {
    this.#parts = parts;
  }

  /** @throws as `ProcessStarter.start`, and machine-failed, connection-lost where no machine runs */
  async start(request: ExecRequest, listener: ProcessListener): Promise<ProcessHandle> {
    const { machine, capturer, captures } = this.#parts;
    // A store that was full may have room by now, and the command is not to be refused it.
    if (capturer.stopped?.code === 'storage-full' && !machine.noteUnsaved) await captures.flush();
    const running = await machine.running();
    return new WatchedProcess(running, { ...this.#parts, request, listener }).start();
  }
}
