import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('./live-bridge-process.ts', import.meta.url));

/** A bridge that runs in a process of its own (`live-bridge-process.ts`). */
export interface LiveBridge extends AsyncDisposable {
  readonly url: string;
  /** Records of its log that tell of a mistake of ours. */
  readonly errors: readonly string[];
  /** Whether its process has ended. */
  readonly hasEnded: boolean;
  residentBytes(): Promise<number>;
}

/** Starts one. */
export async function openLiveBridge(): Promise<LiveBridge> {
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'pipe'] });
  const ended = once(child, 'exit');
  const errors: string[] = [];
  createInterface(child.stderr).on('line', (line) => {
    if (isError(line) && errors.length < 100) errors.push(line);
  });
  const [url] = (await once(createInterface(child.stdout), 'line')) as [string];
  return {
    url,
    errors,
    get hasEnded() {
      return child.exitCode !== null || child.signalCode !== null;
    },
    residentBytes: async () => {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
      return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1_024;
    },
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      await ended;
    },
  };
}

/** What is no record at all is told by Node, of a process that ends. */
function isError(line: string): boolean {
  try {
    return (JSON.parse(line) as { level: number }).level >= 50;
  } catch {
    return true;
  }
}
