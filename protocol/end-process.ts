import { limits } from './limits.ts';
import type { ExecRequest, ProcessHandle } from './sandbox.ts';

/** A process whose connection ends. */
export interface LeftProcess {
  readonly process: Pick<ProcessHandle, 'kill'>;
  readonly request: Pick<ExecRequest, 'clearsAway'>;
  /** Resolves when it is no more. */
  readonly ended: Promise<void>;
}

/** Those that clear away: whoever lends a connection and whoever has it both let go. */
const ending = new WeakMap<LeftProcess['process'], Promise<void>>();

/** Ends a process that nobody is connected to any more (H-8): at once, or when it has cleared away what it has made. */
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
  // One that has ended does not mind.
  await process.kill();
}

/**
 * Tells a process to end, and again until what `end` waits for is settled, as the answer then is: a program that its
 * shell is just about to start misses the first time, and the shell waits for it.
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
