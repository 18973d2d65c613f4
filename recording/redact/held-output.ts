import { recordingLimits } from '../limits.ts';
import { tokenPrefixes } from './secret-patterns.ts';

/** Longest run of characters that may become a secret, but for a private key. */
const runCharacters = 512;
/** Shorter pieces are what somebody types, character by character: what is held of them would be seen to come late. */
const typedCharacters = 16;
const leastRun = 8;

const runAtEnd = /[^\s"'`<>(){}[\],;]{1,512}$/;
const afterName =
  /(?:authorization|bearer|basic|pass(?:word|wd|phrase)|pwd|secret|token|key|credentials?)["']?\s{0,4}[:=]?\s{0,8}["']?(?:(?:basic|bearer|token|digest)\s{0,8})?[^\s"']{0,512}$/i;
const privateKey = /-----BEGIN [A-Z0-9 ]{0,60}PRIVATE KEY/g;
const beginsKey = '-----BEGIN ';

/**
 * Where the end of a terminal's output begins that may be the beginning of a secret by its shape; its length where there is none.
 * `cameNow`: how many of its characters came with the last piece.
 */
export function heldFrom(text: string, cameNow: number): number {
  const tail = text.slice(-recordingLimits.heldOutputCharacters);
  const before = text.length - tail.length;
  const key = openKey(tail);
  if (key !== undefined) return before + key;
  const end = tail.slice(-2 * runCharacters);
  const offset = text.length - end.length;
  const named = afterName.exec(end);
  const run = runAtEnd.exec(end);
  const from = Math.min(named?.index ?? end.length, run === null ? end.length : runFrom(run, cameNow));
  return from < end.length && end.length - from <= runCharacters + 64 ? offset + from : text.length;
}

/** Whether what is held is more than a name, a word or a prompt: a key without an end, or the first half of a token. */
export function isLikelySecret(held: string): boolean {
  if (openKey(held) !== undefined) return true;
  const run = runAtEnd.exec(held)?.[0] ?? '';
  return (
    tokenPrefixes.some((prefix) => run.length > prefix.length && run.startsWith(prefix)) || run.length >= 24
  );
}

/** Where a private key begins that has no end yet, or what may become its first line. */
function openKey(tail: string): number | undefined {
  const last = tail.includes('PRIVATE KEY') ? [...tail.matchAll(privateKey)].at(-1) : undefined;
  if (last !== undefined && !tail.includes('PRIVATE KEY', last.index + last[0].length)) return last.index;
  const dashes = tail.lastIndexOf('-----B');
  if (dashes >= 0 && tail.length - dashes <= 64 && !tail.includes('\n', dashes)) return dashes;
  for (let length = Math.min(beginsKey.length, tail.length); length > 1; length--)
    if (tail.endsWith(beginsKey.slice(0, length))) return tail.length - length;
  return undefined;
}

function runFrom(run: RegExpExecArray, cameNow: number): number {
  const [text] = run;
  const mayBegin = tokenPrefixes.some((prefix) => prefix.startsWith(text) || text.startsWith(prefix));
  return mayBegin || text.length >= leastRun || cameNow >= typedCharacters
    ? run.index
    : run.index + text.length;
}
