import { readdir } from 'node:fs/promises';
import { openTestCli } from '../../../cli/test-context.ts';
import { runWorld } from '../../crash/folder-oracle/run-world.ts';
import { countIn } from '../bridge/bridge-round.ts';

/** What was done, and what was found. */
export interface FolderSoakFound {
  folders: number;
  rounds: number;
  /** By the move of a round and how it ended. */
  readonly outcomes: Record<string, number>;
  /** Each a folder in which a byte was lost or a snapshot was wrong, or that could not be opened again. */
  readonly failures: unknown[];
  /** Of this process, after the last folder. */
  openFiles: number;
}

/** A history so long has many snapshots to go to; one folder of them is over within minutes. */
const roundsInFolder = 100;
/** A command that leaves a file open leaves hundreds open within a folder; the engine itself opens a few. */
const mostMoreOpenFiles = 50;

/** The random user and agent of `test:long`, in one folder after the other until the time has passed. */
export async function soakFolder({
  seed,
  endAfterMs,
  onProgress,
}: {
  readonly seed: number;
  readonly endAfterMs: number;
  readonly onProgress: (found: FolderSoakFound) => void;
}): Promise<FolderSoakFound> {
  const found: FolderSoakFound = { folders: 0, rounds: 0, outcomes: {}, failures: [], openFiles: 0 };
  const begunMs = performance.now();
  const isOver = () => performance.now() - begunMs > endAfterMs;
  const onOutcome = (outcome: string) => {
    found.rounds++;
    countIn(found.outcomes, outcome);
  };
  await using cli = await openTestCli({ isEmpty: true });
  let openAtFirst: number | undefined;
  while (!isOver()) {
    const ofFolder = seed + found.folders++;
    try {
      await runWorld({ seed: ofFolder, rounds: roundsInFolder, cli, onOutcome, isOver });
    } catch (error) {
      found.failures.push(error);
    }
    found.openFiles = await countOpenFiles();
    openAtFirst ??= found.openFiles;
    if (found.openFiles > openAtFirst + mostMoreOpenFiles) {
      found.failures.push(
        new Error(`${found.openFiles} open files after seed ${ofFolder}, ${openAtFirst} at first`),
      );
      openAtFirst = found.openFiles;
    }
    onProgress(found);
  }
  return found;
}

/** 0 where the system does not list them. */
async function countOpenFiles(): Promise<number> {
  return (await readdir('/proc/self/fd').catch(() => [])).length;
}
