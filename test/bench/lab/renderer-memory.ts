import type { Chromium } from './chromium.ts';
import { proportionalMib } from './process-memory.ts';

/**
 * Proportional set size of every renderer in MiB, the largest first. That one is
 * the page with its workers; the others are Chromium's own: spare ones, and its user interface.
 */
export async function rendererMemory({ browser }: Chromium): Promise<number[]> {
  const { processInfo } = await browser.send('SystemInfo.getProcessInfo');
  const renderers = processInfo.filter(({ type }) => type === 'renderer');
  const sizes = await Promise.all(renderers.map(({ id }) => proportionalMib(id)));
  return sizes.sort((a, b) => b - a);
}
