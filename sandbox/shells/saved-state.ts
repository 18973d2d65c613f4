import { type LostShellPart, lostShellParts } from '../../protocol/sandbox/shells.ts';
import { type ByteString, readByteString, writeByteString } from '../../tree/content/byte-string.ts';
import type { ShellState } from './shell-state.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

/** The directory, a NUL, and the script. */
export function encodeState({ cwd, script }: Pick<ShellState, 'cwd' | 'script'>): Uint8Array {
  const text = `${cwd}\0${script || '\n'}`;
  const bytes = new Uint8Array(text.length);
  writeByteString(text, bytes, 0);
  return bytes;
}

/** @throws RangeError */
export function decodeState(bytes: Uint8Array): { readonly cwd: ByteString; readonly script: ByteString } {
  const [cwd = '', script, ...others] = readByteString(bytes, 0, bytes.length).split('\0');
  if (script === undefined || others.length > 0)
    throw new RangeError('Cannot read a shell: it has no script');
  return { cwd, script };
}

/** A JSON list of the commands; nothing where there are none. */
export function encodeHistory(history: readonly string[]): Uint8Array {
  return history.length === 0 ? new Uint8Array(0) : encoder.encode(JSON.stringify(history));
}

/** @throws RangeError, or what reading JSON and UTF-8 throws */
export function decodeHistory(bytes: Uint8Array): readonly string[] {
  if (bytes.length === 0) return [];
  const texts: unknown = JSON.parse(decoder.decode(bytes));
  const isText = (text: unknown) => typeof text === 'string' && !text.includes('\0');
  if (Array.isArray(texts) && texts.every(isText)) return texts;
  throw new RangeError('Cannot read a shell: its history is no list of texts');
}

/** The parts that this version knows. */
export function parseLost(lost: unknown): readonly LostShellPart[] {
  return lostShellParts.filter((part) => Array.isArray(lost) && lost.includes(part));
}
