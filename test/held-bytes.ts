import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/**
 * Bytes that this process holds, on its heap and in buffers beside it: garbage is collected first. (What the
 * system has given the process, `rss`, follows the garbage that nobody collected yet, too.)
 */
export function heldBytes(): number {
  // What the first frees is given back by the second.
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** How many bytes more than at its start were held at any time during the work, looked at now and then. */
export async function mostHeldBytes(work: () => Promise<unknown>): Promise<number> {
  const before = heldBytes();
  let most = before;
  const look = (): void => {
    most = Math.max(most, heldBytes());
  };
  const stopped = new AbortController();
  const looking = lookNowAndThen(look, stopped.signal);
  try {
    await work();
    look();
  } finally {
    stopped.abort();
    await looking;
  }
  return most - before;
}

/** Between two looks, ms: what is held for less than the longest may not be seen. */
const shortestRestMs = 500;
const longestRestMs = 1_000;

/** A look takes longer the more there is on the heap, and the slower the machine: the work gets the more time in between. */
async function lookNowAndThen(look: () => void, signal: AbortSignal): Promise<void> {
  for (let restMs = shortestRestMs; ; ) {
    const isTime = await delay(restMs, true, { signal, ref: false }).catch(() => false);
    if (!isTime) return;
    const startMs = performance.now();
    look();
    const tookMs = performance.now() - startMs;
    restMs = Math.min(Math.max(shortestRestMs, 5 * tookMs), longestRestMs);
  }
}
