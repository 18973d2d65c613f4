/** What a date can be at most, in milliseconds (ECMAScript, 21.4.1.1). */
export const latestMs = 8.64e15;

/** A time as RFC 3339 writes it. A file may say that it was at any time: what is no date is the last or the first one. */
export function dateText(ms: number): string {
  return new Date(Math.min(Math.max(0, ms || 0), latestMs)).toISOString();
}
