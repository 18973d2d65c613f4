import { InvalidArgumentError } from 'commander';

/** A whole number that is 0 or more. @throws InvalidArgumentError, which names the option */
export function parseCount(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value)) return value;
  throw new InvalidArgumentError('Give a whole number.');
}
