import { mkdir, open, readFile, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const heartbeatMs = 2_000;
const staleAfterMs = 20_000;
const retryMs = 200;

/**
 * Runs `work` while no other process runs under the same lock file; waits for its turn, and tells
 * `onWait` once that it does. A holder that died is noticed by its process id or, from another
 * machine, by a heart beat that stopped. The lock only saves work: results are published whole and
 * by content, so two holders after an unlucky takeover do the same twice and nothing worse.
 */
export async function withCacheLock<T>(
  path: string,
  work: () => Promise<T>,
  options: { onWait?: (holder: string) => void; signal?: AbortSignal } = {},
): Promise<T> {
  await mkdir(dirname(path), { recursive: true });
  let waited = false;
  while (!(await acquire(path))) {
    const holder = await readFile(path, 'utf8').catch(() => '');
    if (await isStale(path, holder)) {
      await rm(path, { force: true });
      continue;
    }
    if (!waited) options.onWait?.(holder.trim());
    waited = true;
    await delay(retryMs, undefined, options.signal ? { signal: options.signal } : {});
  }
  const heartbeat = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => {}), heartbeatMs);
  heartbeat.unref();
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    await rm(path, { force: true });
  }
}

async function acquire(path: string): Promise<boolean> {
  try {
    await using file = await open(path, 'wx');
    await file.writeFile(`${process.pid}@${hostname()}\n`);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function isStale(path: string, holder: string): Promise<boolean> {
  const info = await stat(path).catch(() => undefined);
  if (!info) return false;
  if (Date.now() - info.mtimeMs > staleAfterMs) return true;
  const [pid, host] = holder.trim().split('@');
  return host === hostname() && Number(pid) > 0 && !isRunning(Number(pid));
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
