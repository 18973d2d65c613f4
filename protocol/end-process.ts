import { limits } from './limits.ts';
import type { ExecRequest, ProcessHandle } from './sandbox/processes.ts';

/** A process whose connection ends. */
export interface LeftProcess {
  readonly process: Pick<ProcessHandle, 'kill'>;
  readonly request: Pick<ExecRequest, 'clearsAway'>;
  /** Resolves when it has ended. */
  readonly ended: Promise<void>;
}

/** Processes with `clearsAway` that are being ended: the connection's owner and its borrower may both release one. */
const ending = new WeakMap<LeftProcess['process'], Promise<void>>();

/** Ends a process whose client is gone (H-8): at once, or, with `clearsAway`, when it has deleted its files. */
export function endProcess(left: LeftProcess): Promise<void> {
  const { process, request } = left;
  if (!request.clearsAway) return process.kill();
  const under = ending.get(process) ?? endGently(left);
  ending.set(process, under);
  return under;
}

async function endGently({ process, ended }: LeftProcess): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, limits.clearAwayMs);
  try {
    await tellToEnd(process, () => Promise.race([ended, late.promise]));
  } finally {
    clearTimeout(timer);
  }
  // If it has ended already, nothing happens.
  await process.kill();
}

/**
 * Sends a process SIGTERM repeatedly until `end` settles, and settles likewise: a program that its shell is about
 * to start misses the first signal, and the shell waits for that program.
 */
export async function tellToEnd<T>(process: LeftProcess['process'], end: () => Promise<T>): Promise<T> {
  await process.kill('SIGTERM');
  const again = setInterval(() => {
    process.kill('SIGTERM').catch(() => undefined);
  }, limits.tellToEndAgainMs);
  try {
    return await end();
  } finally {
    clearInterval(again);
  }
}
