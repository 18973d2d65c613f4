const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Bytes for people: `812 B`, `6.2 MiB`. */
export function bytesText(bytes: number): string {
  let value = Math.max(0, bytes);
  let unit = 0;
  while (value >= 1_000 && unit < units.length - 1) {
    value /= 1_024;
    unit += 1;
  }
  return `${value.toFixed(unit === 0 || value >= 100 ? 0 : 1)} ${units[unit]}`;
}

/** How long ago something was: `now`, `12 s`, `4 min`, `3 h`, `5 d`, then the date (UTC). */
export function agoText(atMs: number, nowMs: number): string {
  const ageMs = nowMs - atMs;
  if (ageMs < 1_000) return 'now';
  if (ageMs < minuteMs) return `${Math.floor(ageMs / 1_000)} s`;
  if (ageMs < hourMs) return `${Math.floor(ageMs / minuteMs)} min`;
  if (ageMs < dayMs) return `${Math.floor(ageMs / hourMs)} h`;
  if (ageMs < 30 * dayMs) return `${Math.floor(ageMs / dayMs)} d`;
  return new Date(atMs).toISOString().slice(0, 10);
}

/** How long something took: `12 ms`, `0.8 s`, `2 min 5 s`. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1_000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

/** `1 file`, `3 files`. */
export function countText(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
