/** A time of a recording: `4:05`, `1:04:05`; with `tenths`, `4:05.3`. */
export function spellTime(seconds: number, { tenths = false }: { readonly tenths?: boolean } = {}): string {
  const whole = Math.max(0, tenths ? Math.floor(seconds * 10) / 10 : Math.floor(seconds));
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor(whole / 60) % 60;
  const rest = tenths ? (whole % 60).toFixed(1) : String(whole % 60);
  const padded = rest.padStart(tenths ? 4 : 2, '0');
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${padded}` : `${minutes}:${padded}`;
}

/** A time in words, for screen readers: `1 hour 4 minutes 5 seconds`. */
export function sayTime(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const parts = [
    [Math.floor(whole / 3600), 'hour'],
    [Math.floor(whole / 60) % 60, 'minute'],
    [whole % 60, 'second'],
  ] as const;
  const said = parts.flatMap(([count, unit]) =>
    count > 0 ? [`${count} ${unit}${count === 1 ? '' : 's'}`] : [],
  );
  return said.join(' ') || 'the beginning';
}
