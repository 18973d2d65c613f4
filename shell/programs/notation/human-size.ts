/** A size as `1.5K`, rounded up as GNU's `-h` does; with `base` 1000 as `--si` does. */
export function humanSize(bytes: number, base: 1000 | 1024 = 1024): string {
  const letters = base === 1000 ? ['', 'k', 'M', 'G', 'T', 'P', 'E'] : ['', 'K', 'M', 'G', 'T', 'P', 'E'];
  let size = bytes;
  let power = 0;
  while (size >= base && power < letters.length - 1) {
    size /= base;
    power += 1;
  }
  if (power === 0) return String(bytes);
  if (size < 10) {
    const tenths = Math.ceil(size * 10 - 1e-9);
    if (tenths < 100) return `${(tenths / 10).toFixed(1)}${letters[power]}`;
    return `10${letters[power]}`;
  }
  const whole = Math.ceil(size - 1e-9);
  if (whole >= base && power < letters.length - 1) return `1.0${letters[power + 1]}`;
  return `${whole}${letters[power]}`;
}
