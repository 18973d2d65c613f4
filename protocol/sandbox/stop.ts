import type { SnapshotRecord } from '../../tree/history/snapshot-record.ts';

/** The name of the extension that says how long programs stood still for a snapshot (protocol/SPEC.md, SN-17). */
export const stopExtension = 'stop';

/** The text of the extension: milliseconds. */
export function encodeStop(stoppedMs: number): string {
  return String(Math.round(stoppedMs));
}

/**
 * For how many milliseconds programs stood still while the files of a snapshot were read that was asked for; `undefined`
 * where it does not say, as it was not worth telling.
 */
export function stoppedMs({ extensions }: Pick<SnapshotRecord, 'extensions'>): number | undefined {
  const text = extensions?.[stopExtension]?.text;
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
