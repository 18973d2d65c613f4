import type { SandboxConnection } from '../../protocol/sandbox/connection.ts';
import type { ExecRequest, ProcessEvent, ProcessHandle } from '../../protocol/sandbox/processes.ts';

import { connectionDouble } from '../fixtures/connection-double.ts';

type Listener = (event: ProcessEvent) => void | Promise<void>;

/** The exit of a process that did nothing of note. */
export const plainExit: Extract<ProcessEvent, { type: 'exit' }> = {
  type: 'exit',
  exitCode: 0,
  signal: undefined,
  reason: 'exited',
  durationMs: 1,
  cpuMs: 1,
  maxRssBytes: 1,
  files: { created: [], modified: [], deleted: [] },
};

/** A process that does what the test says, and notes what is asked of it. */
export class ScriptedProcess implements ProcessHandle {
  readonly pid = 7;
  readonly asked: string[] = [];
  /** What `write` answers. */
  writing: Promise<void> = Promise.resolve();
  emit: Listener = () => undefined;

  async write(bytes: Uint8Array): Promise<void> {
    this.asked.push(`write ${bytes.length}`);
    await this.writing;
  }

  async closeStdin(): Promise<void> {
    this.asked.push('closeStdin');
  }

  async resize(): Promise<void> {
    this.asked.push('resize');
  }

  async kill(signal: string = 'SIGKILL'): Promise<void> {
    this.asked.push(`kill ${signal}`);
    await this.emit({ ...plainExit, exitCode: 137, signal, reason: 'signalled' });
  }
}

/** A connection of which only `exec` works; it hands out `process` once `started` resolves. */
export function scriptedConnection(
  process: ScriptedProcess,
  started: Promise<unknown> = Promise.resolve(),
): SandboxConnection {
  const exec = async (_request: ExecRequest, listener: Listener): Promise<ProcessHandle> => {
    process.emit = listener;
    await started;
    return process;
  };
  return connectionDouble({ processes: { exec } });
}
