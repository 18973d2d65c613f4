import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { inRepository } from '../../../images/repository.ts';

const startTimeoutMs = 300_000;
const keptErrorCharacters = 4_000;

/** `npm run bridge` as a user runs it: a process and a folder of its own, gone when disposed. */
export interface BridgeProcess extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
}

/** Starts a bridge with the default image and waits until it has unpacked it. @throws Error with what it said */
export async function startBridgeProcess(): Promise<BridgeProcess> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'coppice-bench-bridge-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const child = spawn(
    process.execPath,
    [inRepository('scripts', 'bridge.ts'), '--port', '0', '--root', folder],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  stack.defer(() => stop(child));
  const address = await readAddress(child);
  const owned = stack.move();
  return { ...address, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function readAddress(child: ChildProcess): Promise<{ url: string; token: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ url: string; token: string }>();
  let errors = '';
  let url = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-keptErrorCharacters);
  });
  if (child.stdout) {
    createInterface({ input: child.stdout }).on('line', (line) => {
      url = /ready at (\S+),/.exec(line)?.[1] ?? url;
      const token = /Token: (\S+)/.exec(line)?.[1];
      if (token) resolve({ url, token });
    });
  }
  const fail = () => reject(new Error(`The bridge does not start: ${errors.trim()}`));
  child.once('error', fail).once('close', fail);
  const timer = setTimeout(fail, startTimeoutMs);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  await closed;
}
