import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { HostOptions } from '../../bridge-server/main/open-host.ts';
import type { BridgeAddress } from '../../sdk/connect.ts';

const script = fileURLToPath(new URL('./serve-folder.ts', import.meta.url));

/** A bridge in a process of its own, killed in the end. */
export interface Serving extends BridgeAddress, AsyncDisposable {
  /** Sandboxes whose jails it goes on with. */
  readonly running: readonly string[];
  /** Why it did not go on with jails of the one before. */
  readonly lost: readonly string[];
  /** Sends it a signal, and resolves when it is gone. */
  end(signal: NodeJS.Signals): Promise<void>;
  kill(): Promise<void>;
}

/** Starts one on what `makeTestFolder` has made. */
export async function startServing(options: HostOptions): Promise<Serving> {
  const child = spawn(process.execPath, [script, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const gone = once(child, 'close');
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await gone;
  };
  const said = once(createInterface({ input: child.stdout }), 'line');
  const [line] = await Promise.race([said, gone.then(() => ['{}'])]);
  const kill = () => end('SIGKILL');
  return { ...JSON.parse(line), end, kill, [Symbol.asyncDispose]: kill };
}
