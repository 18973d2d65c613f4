import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TreeRef } from '../../../protocol/sandbox.ts';
import type { Sandbox } from '../../../sdk/sandbox.ts';
import { LiveTree } from '../../../tree/live/live-tree.ts';
import { extractTar } from '../../../tree/tar/extract-tar.ts';
import { openLineProgram } from './line-program.ts';

export interface StressOptions {
  readonly seed: number;
  /** Each some writes, a snapshot, and a comparison of all files. */
  readonly rounds: number;
  readonly writesPerRound: number;
  /** Ends it after the round in which this has passed. */
  readonly endAfterMs?: number | undefined;
}

/** A file that a snapshot has otherwise than the program that wrote it. */
export interface WrongFile {
  readonly round: number;
  readonly name: string;
  /** Size, digest and number of names; `undefined` where there is none. */
  readonly written: FileDigest | undefined;
  readonly captured: FileDigest | undefined;
}

type FileDigest = readonly [sizeBytes: number, sha256: string, names: number];

/**
 * Has a program in the sandbox write to files at random, through mappings that it keeps among others, and compares each
 * snapshot with what the program itself reads then. Needs python3 in the image. Resolves to the rounds done, and
 * to what was found wrong in the last one.
 */
export async function stressFiles(
  sandbox: Sandbox,
  { seed, rounds, writesPerRound, endAfterMs = Number.POSITIVE_INFINITY }: StressOptions,
): Promise<{ readonly rounds: number; readonly wrong: readonly WrongFile[] }> {
  const folder = `${(await sandbox.run('echo $HOME')).stdout.trim()}/stress-${seed}`;
  const code = await readFile(join(import.meta.dirname, 'write-files.py'), 'utf8');
  await using program = await openLineProgram(sandbox, { code, args: [folder, `${seed}`] });
  const begunMs = performance.now();
  let round = 0;
  while (round < rounds && performance.now() - begunMs < endAfterMs) {
    round += 1;
    const written: Record<string, FileDigest> = JSON.parse(await program.ask(`${writesPerRound}`));
    const { id } = await sandbox.createSnapshot();
    const captured = await digestSnapshot(sandbox, { at: id, folder });
    const names = new Set([...Object.keys(written), ...captured.keys()]);
    const wrong = [...names].flatMap((name): WrongFile[] => {
      const file = { round, name, written: written[name], captured: captured.get(name) };
      return JSON.stringify(file.written) === JSON.stringify(file.captured) ? [] : [file];
    });
    if (wrong.length > 0) return { rounds: round, wrong };
  }
  return { rounds: round, wrong: [] };
}

async function digestSnapshot(
  sandbox: Sandbox,
  { at, folder }: { readonly at: TreeRef; readonly folder: string },
): Promise<Map<string, FileDigest>> {
  const pieces: Uint8Array[] = [];
  for await (const piece of await sandbox.exportTar({ at, path: folder })) pieces.push(piece);
  const tree = new LiveTree();
  extractTar(tree, pieces);
  const digests = new Map<string, FileDigest>();
  tree.readdir(tree.root, 0, (name, ino) => {
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
