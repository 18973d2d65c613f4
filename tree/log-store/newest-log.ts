import { Log } from './log.ts';
import type { LogDirectory } from './log-file.ts';
import { storeError } from './store-error.ts';

/** A log and the number in its file's name. */
export interface OpenedLog {
  readonly generation: number;
  readonly log: Log;
}

/** How often a reader retries because a writer's sweep removed a log between listing and opening. */
const sweepsBetween = 8;

/**
 * The log of the highest generation that has a whole commit; a copy that a crash cut short has none. A writer also
 * removes the other files and cuts off a torn tail; a reader changes nothing.
 */
export async function openNewestLog(directory: LogDirectory): Promise<OpenedLog> {
  return directory.readOnly ? openForReading(directory) : openForWriting(directory);
}

async function openForWriting(directory: LogDirectory): Promise<OpenedLog> {
  const generations = await newestFirst(directory);
  const opened = await openBest(directory, generations);
  opened.log.dropTail();
  for (const generation of generations) {
    // A file that a read-only tab has open remains until the next opening.
    if (generation !== opened.generation) await directory.remove(generation).catch(() => undefined);
  }
  return opened;
}

/** A sweeping writer may remove a file after its name was listed; then there is a newer one. */
async function openForReading(directory: LogDirectory): Promise<OpenedLog> {
  let generations = await newestFirst(directory);
  for (let sweeps = 0; ; sweeps++) {
    if (generations.length === 0) throw storeError('not-found', 'Cannot open the store: there is none');
    try {
      return await openBest(directory, generations);
    } catch (error) {
      const before = generations;
      generations = await newestFirst(directory);
      if (sweeps === sweepsBetween || generations.join() === before.join()) throw error;
    }
  }
}

async function newestFirst(directory: LogDirectory): Promise<number[]> {
  return (await directory.generations()).sort((a, b) => b - a);
}

/** The newest whole log; else the oldest, to which nothing was ever committed. */
async function openBest(directory: LogDirectory, generations: readonly number[]): Promise<OpenedLog> {
  for (const generation of generations) {
    const opened = await openLog(directory, generation);
    if (!opened.log.isEmpty) return opened;
    opened.log.close();
  }
  return openLog(directory, generations.at(-1) ?? 1);
}

async function openLog(directory: LogDirectory, generation: number): Promise<OpenedLog> {
  const file = await directory.open(generation);
  try {
    return { generation, log: Log.open(file) };
  } catch (error) {
    file.close();
    throw error;
  }
}
