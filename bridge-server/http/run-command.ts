import { listenAbort } from '../../protocol/abort.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type {
  ExecRequest,
  ExitStatus,
  ProcessesFacet,
  ProcessHandle,
} from '../../protocol/sandbox/processes.ts';

export interface CommandRun {
  readonly request: ExecRequest;
  /** Given at once and then closed. */
  readonly stdin: Uint8Array | undefined;
  readonly timeoutMs: number;
  /** Aborting kills the command. */
  readonly signal: AbortSignal;
  /** Comes before any output. */
  readonly onStart?: (pid: number) => void;
  /** A returned promise holds the process back until it settles. */
  readonly onOutput: (stream: 'stdout' | 'stderr', bytes: Uint8Array) => void | Promise<void>;
}

/**
 * Runs a command to its end, its deadline, or until the caller gives up; in the last two cases its
 * whole process group is killed (S-6, H-8). The deadline counts from the call on.
 * @throws aborted; timeout when it does not even die; and what `exec` throws
 */
export async function runCommand(processes: ProcessesFacet, run: CommandRun): Promise<ExitStatus> {
  const end = Promise.withResolvers<ExitStatus>();
  end.promise.catch(() => {}); // Heard below, but not before the process has started.
  let isLate = false;
  let lastResort: NodeJS.Timeout | undefined;
  const started = Promise.withResolvers<void>();
  const starting = processes.exec({ ...run.request, stdin: run.stdin !== undefined }, async (event) => {
    // A quick process says something, or has ended, before we hear that it has started.
    await started.promise;
    if (event.type !== 'exit') return run.onOutput(event.type, event.bytes);
    const { type, ...status } = event;
    end.resolve({ ...status, ...(isLate ? { reason: 'timeout', limit: 'time' } : {}) });
  });
  const kill = () => starting.then((process) => process.kill());
  const deadline = setTimeout(() => {
    isLate = true;
    kill().catch(end.reject);
    const error = new SandboxError('timeout', 'Cannot end the command: it was killed and does not end', {
      details: {
        remedy:
          'What waits for the disk cannot be killed: wait until that is less busy, or stop the sandbox.',
      },
    });
    lastResort = setTimeout(() => end.reject(error), limits.hangupGraceMs);
  }, run.timeoutMs);
  const unlisten = listenAbort(run.signal, () => {
    end.reject(new SandboxError('aborted', 'The command was aborted'));
    kill().catch(() => {}); // It did not start, or the sandbox is gone and the process with it.
  });
  try {
    starting.then((process) => {
      run.onStart?.(process.pid);
      started.resolve();
      return feed(process, run.stdin);
    }, end.reject);
    return await end.promise;
  } finally {
    clearTimeout(deadline);
    clearTimeout(lastResort);
    unlisten();
  }
}

/** A process may end before it has read everything: that is its own affair, as `head` shows. */
async function feed(process: ProcessHandle, stdin: Uint8Array | undefined): Promise<void> {
  if (stdin === undefined) return;
  await process
    .write(stdin)
    .then(() => process.closeStdin())
    .catch(() => {});
}
