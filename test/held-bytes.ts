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
  // A look takes up to 200 ms of a process with much on its heap.
  const looking = setInterval(look, 500);
  try {
    await work();
    look();
  } finally {
    clearInterval(looking);
  }
  return most - before;
}
