const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/**
 * How long ago `atMs` was, as short as a column of a dense list wants it: `now`, `12 s`, `4 min`,
 * `3 h`, then the date. A time in the future (a clock that was set back) reads as `now`.
 */
export function relativeTime(atMs: number, nowMs: number): string {
  const ageMs = nowMs - atMs;
  if (ageMs < 5_000) return 'now';
  if (ageMs < minuteMs) return `${Math.floor(ageMs / 1000)} s`;
  if (ageMs < hourMs) return `${Math.floor(ageMs / minuteMs)} min`;
  if (ageMs < dayMs) return `${Math.floor(ageMs / hourMs)} h`;
  if (ageMs < 7 * dayMs) return `${Math.floor(ageMs / dayMs)} d`;
  return new Date(atMs).toLocaleDateString(undefined, { day: 'numeric', month: 'short' });
}

/** The time of day in the user's locale, with the date when it is not today: `14:02`, `3 Mar, 14:02`; with `seconds`, `14:02:31`. */
export function clockTime(
  atMs: number,
  nowMs: number,
  { seconds = false }: { seconds?: boolean } = {},
): string {
  const at = new Date(atMs);
  const time = at.toLocaleTimeString(undefined, {
    hour: '2-digit',
    minute: '2-digit',
    ...(seconds ? { second: '2-digit' } : {}),
  });
  if (at.toDateString() === new Date(nowMs).toDateString()) return time;
  return `${at.toLocaleDateString(undefined, { day: 'numeric', month: 'short' })}, ${time}`;
}

/** Seconds with one digit below ten: `0.8 s`, `12 s`. */
export function formatSeconds(ms: number): string {
  const seconds = ms / 1000;
  return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
}
