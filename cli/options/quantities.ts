import { InvalidArgumentError } from 'commander';

const mebibytes: Readonly<Record<string, number>> = { K: 1 / 1024, M: 1, G: 1024, T: 1024 * 1024 };
const milliseconds: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Bytes of `512M`, `1.5G`, `64K` or a plain number of bytes. @throws InvalidArgumentError, which names the option */
export function parseBytes(text: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(?:([KMGT])(?:i?B)?)?$/i.exec(text) ?? [];
  if (amount === undefined) throw refused('a size, such as 512M or 2G');
  const factor = unit === undefined ? 1 : (mebibytes[unit.toUpperCase()] ?? 1) * 1024 * 1024;
  return Math.round(Number(amount) * factor);
}

/** Whole MiB of a size, which is at least one. @throws InvalidArgumentError, which names the option */
export function parseMebibytes(text: string): number {
  return Math.max(1, Math.round(parseBytes(text) / (1024 * 1024)));
}

/** Milliseconds of `30s`, `500ms`, `5m`, `1h` or a plain number of seconds. @throws InvalidArgumentError, which names the option */
export function parseDurationMs(text: string): number {
  const [, amount, unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text) ?? [];
  const durationMs = Math.round(Number(amount) * (milliseconds[unit] ?? 1));
  // What a timer takes: more would end at once.
  if (amount !== undefined && durationMs > 0 && durationMs < 2 ** 31) return durationMs;
  throw refused('a time, such as 30s, 5m or 500ms');
}

/** A number above 0, such as 0.5 or 2. @throws InvalidArgumentError, which names the option */
export function parseAmount(text: string): number {
  const amount = Number(text);
  if (text.trim() !== '' && Number.isFinite(amount) && amount > 0) return amount;
  throw refused('a number above 0');
}

/** A whole number above 0. @throws InvalidArgumentError, which names the option */
export function parseWhole(text: string): number {
  const amount = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(amount) && amount > 0) return amount;
  throw refused('a whole number above 0');
}

function refused(wanted: string): InvalidArgumentError {
  return new InvalidArgumentError(`Give ${wanted}.`);
}
