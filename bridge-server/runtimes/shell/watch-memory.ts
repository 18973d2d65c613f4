import { readFile } from 'node:fs/promises';
import { limits } from '../../../protocol/limits.ts';

/**
 * Looks at what a process has of memory that is its own, beside what a shell takes without any script. Where the host does
 * not tell, the bounds of V8 and of the process (`ulimit -d`) hold alone. Returns how to stop.
 */
export function watchMemory(
  pid: Promise<number | undefined>,
  { mostMiB, onExceeded }: { readonly mostMiB: number; readonly onExceeded: () => void },
): () => void {
  const mostBytes = (mostMiB + limits.shellOwnMiB) * 1024 * 1024;
  const look = async (): Promise<void> => {
    const usedBytes = await ownBytes(await pid);
    if (usedBytes !== undefined && usedBytes > mostBytes) onExceeded();
  };
  const timer = setInterval(() => void look(), limits.shellMemoryLookMs).unref();
  return () => clearInterval(timer);
}

async function ownBytes(pid: number | undefined): Promise<number | undefined> {
  if (pid === undefined) return undefined;
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const [, kib] = /^RssAnon:\s+(\d+) kB$/m.exec(status) ?? [];
  return kib === undefined ? undefined : Number(kib) * 1024;
}
