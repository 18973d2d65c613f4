import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ByteString } from '../../../tree/content/byte-string.ts';
import type { LiveTree } from '../../../tree/live/live-tree.ts';
import { resolveBytes } from '../../../tree/live/resolve-path.ts';

/** The Python program that writes: its arguments are a folder and a seed. */
export const writerCode: string = readFileSync(join(import.meta.dirname, 'write-files.py'), 'utf8');

/** Where the program runs. */
export interface StressTarget {
  /** Gives the program a line; resolves to that of its answer. */
  ask(line: string): Promise<string>;
  capture(): Promise<LiveTree>;
  /** The program's folder in what was captured. */
  readonly path: ByteString;
}

export interface StressOptions {
  /** Each some writes, a capture, and a comparison of all files. */
  readonly rounds: number;
  readonly writesPerRound: number;
  /** Ends it after the round in which this has passed. */
  readonly endAfterMs?: number | undefined;
}

export interface StressReport {
  readonly rounds: number;
  /** Of the last round: a line for each file that was captured otherwise than the program reads it. */
  readonly wrong: readonly string[];
}

/** Size, digest and number of names. */
type FileDigest = readonly [sizeBytes: number, sha256: string, names: number];

/**
 * Has the program write to files at random, through mappings that it keeps among others, and compares each capture with
 * what the program itself reads then. Ends with the first round in which they differ.
 */
export async function stressFiles(
  target: StressTarget,
  { rounds, writesPerRound, endAfterMs = Number.POSITIVE_INFINITY }: StressOptions,
): Promise<StressReport> {
  const begunMs = performance.now();
  for (let round = 1; ; round++) {
    const written = new Map<string, FileDigest>(
      Object.entries(JSON.parse(await target.ask(`${writesPerRound}`))),
    );
    const wrong = differences(written, digestFiles(await target.capture(), target.path));
    const isOver = round >= rounds || performance.now() - begunMs > endAfterMs;
    if (wrong.length > 0 || isOver) return { rounds: round, wrong };
  }
}

function differences(
  written: ReadonlyMap<string, FileDigest>,
  captured: ReadonlyMap<string, FileDigest>,
): string[] {
  const names = new Set([...written.keys(), ...captured.keys()]);
  return [...names].flatMap((name) => {
    const [there, here] = [written, captured].map((files) => files.get(name)?.join(' ') ?? 'nothing');
    return there === here ? [] : [`${name}: ${there} was written, ${here} captured`];
  });
}

function digestFiles(tree: LiveTree, path: ByteString): Map<string, FileDigest> {
  const digests = new Map<string, FileDigest>();
  const folder = resolveBytes(tree, path, { followLast: false });
  if (typeof folder === 'number') return digests;
  tree.readdir(folder.ino, 0, (name, ino) => {
    digests.set(name, digestFile(tree, ino));
    return true;
  });
  return digests;
}

function digestFile(tree: LiveTree, ino: number): FileDigest {
  const { sizeBytes = 0, nlink = 0 } = tree.stat(ino) ?? {};
  const bytes = new Uint8Array(sizeBytes);
  tree.read(ino, 0, bytes);
  return [sizeBytes, hash('sha256', bytes, 'hex'), nlink];
}
