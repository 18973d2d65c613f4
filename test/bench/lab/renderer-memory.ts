import { readFile } from 'node:fs/promises';
import type { Chromium } from './chromium.ts';

/**
 * Proportional set size (proc(5), smaps_rollup) of every renderer in MiB, the largest first. That one is
 * the page with its workers; the others are Chromium's own: spare ones, and its user interface.
 */
export async function rendererMemory({ browser }: Chromium): Promise<number[]> {
  const { processInfo } = await browser.send('SystemInfo.getProcessInfo');
  const renderers = processInfo.filter(({ type }) => type === 'renderer');
  const sizes = await Promise.all(renderers.map(({ id }) => pssMib(id)));
  return sizes.sort((a, b) => b - a);
}

async function pssMib(processId: number): Promise<number> {
  const text = await readFile(`/proc/${processId}/smaps_rollup`, 'utf8');
  const [, kib] = /^Pss:\s+(\d+) kB$/m.exec(text) ?? [];
  if (kib === undefined) throw new RangeError(`/proc/${processId}/smaps_rollup has no Pss`);
  return Number(kib) / 1024;
}
