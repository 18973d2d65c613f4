import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Why this host's loopback cannot have one. */
export async function whatLoopbackLacks(): Promise<string | undefined> {
  try {
    await using _address = await addLoopbackAddress();
    return undefined;
  } catch (error) {
    return (error as Error).message.trim();
  }
}

/**
 * Gives the loopback another address, until it is disposed of: one that a jail does not take for its own, of the range
 * for benchmarks, which is nobody's. At random, as another run of the tests on this host may take from the same.
 */
export async function addLoopbackAddress(): Promise<AsyncDisposable & { readonly address: string }> {
  let address: string;
  do address = `198.18.${randomInt(256)}.${randomInt(256)}`;
  while (!(await isAdded(address)));
  return {
    address,
    [Symbol.asyncDispose]: async () => {
      await execute('ip', ['address', 'delete', `${address}/32`, 'dev', 'lo']);
    },
  };
}

/** Whether the loopback has the address now by this; not when it had it before. */
async function isAdded(address: string): Promise<boolean> {
  try {
    await execute('ip', ['address', 'add', `${address}/32`, 'dev', 'lo']);
    return true;
  } catch (error) {
    if (/File exists|already assigned/.test((error as Error).message)) return false;
    throw error;
  }
}
