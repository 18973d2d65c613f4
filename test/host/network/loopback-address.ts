import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Addresses of this host's loopback that a jail does not take for its own: of the range for benchmarks, which is nobody's. */
let last = process.pid % 16_000;

/** Why this host's loopback cannot have one. */
export async function whatLoopbackLacks(): Promise<string | undefined> {
  try {
    await using _address = await addLoopbackAddress();
    return undefined;
  } catch (error) {
    return (error as Error).message.trim();
  }
}

/** Gives the loopback another address, until it is disposed of. */
export async function addLoopbackAddress(): Promise<AsyncDisposable & { readonly address: string }> {
  last++;
  const address = `198.18.${(last >> 8) & 0xff}.${last & 0xff}`;
  await execute('ip', ['address', 'add', `${address}/32`, 'dev', 'lo']);
  return {
    address,
    [Symbol.asyncDispose]: async () => {
      await execute('ip', ['address', 'delete', `${address}/32`, 'dev', 'lo']);
    },
  };
}
