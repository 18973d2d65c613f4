import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * A token is `cpc_`, 43 digits of a random 256-bit number, and 6 of the CRC-32 of all before them,
 * in base 62: one word for a double click, known by its prefix to whoever scans for secrets, and
 * told from a mistyped one without a look at what is stored.
 */
const prefix = 'cpc_';
const secretDigits = 43;
const checksumDigits = 6;
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const pattern = /^cpc_[0-9A-Za-z]{49}$/;

/** A new token. */
export function newTokenText(): string {
  const secret = BigInt(`0x${randomBytes(32).toString('hex')}`);
  const text = prefix + inBase62(secret, secretDigits);
  return text + checksumOf(text);
}

/** Whether `text` is a token as one was made once: one that is not was mistyped or cut. */
export function isTokenText(text: string): boolean {
  if (!pattern.test(text)) return false;
  return checksumOf(text.slice(0, -checksumDigits)) === text.slice(-checksumDigits);
}

function checksumOf(text: string): string {
  return inBase62(BigInt(crc32(text)), checksumDigits);
}

function inBase62(value: bigint, digits: number): string {
  let text = '';
  for (let rest = value; text.length < digits; rest /= 62n) text = alphabet[Number(rest % 62n)] + text;
  return text;
}
