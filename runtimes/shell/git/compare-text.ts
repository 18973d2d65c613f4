import { unifiedHunks } from './diff/text-hunks.ts';

/** The hunks of a unified diff, as git has them. */
export function compareText(older: string, newer: string, signal: AbortSignal): Promise<string> {
  return unifiedHunks(older, newer, { signal });
}
