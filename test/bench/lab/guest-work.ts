import { median, round } from '../median.ts';
import { percentile } from '../percentile.ts';

/** What a guest works at for about a second of a processor: a shell's loop, pipes, files and processes. */
export const guestWork = `i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done
seq 1 20000 | sort -r | md5sum
mkdir /tmp/w; for i in 1 2 3 4 5 6 7 8 9; do seq 1 500 > /tmp/w/$i; cat /tmp/w/* | wc -l; done; rm -r /tmp/w`;

/** How long the work took, and how much of that this thread had a processor. */
export interface Took {
  readonly ms: number;
  readonly cpuMs: number;
}

/** Runs the guest's work and takes its time. */
export async function timeWork(work: () => Promise<unknown>): Promise<Took> {
  const [start, before] = [performance.now(), process.threadCpuUsage()];
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return { ms: performance.now() - start, cpuMs: (user + system) / 1000 };
}

/** The medians of both, and the 99th percentile of the first. */
export function medianTook(took: readonly Took[]): Took & { readonly p99Ms: number } {
  const ms = took.map((one) => one.ms);
  const cpuMs = took.map((one) => one.cpuMs);
  return { ms: round(median(ms)), cpuMs: round(median(cpuMs)), p99Ms: round(percentile(ms, 0.99)) };
}
