import { Log } from './log.ts';
import type { LogDirectory } from './log-file.ts';
import { storeError } from './store-error.ts';

/** A log and the number in its file's name. */
export interface OpenedLog {
  readonly generation: number;
  readonly log: Log;
}

/**
 * The log of the highest generation that holds a whole commit: a copy that a crash cut short holds
 * none. A writer also removes the other files and cuts off a torn tail; a reader changes nothing.
 */
export async function openNewestLog(directory: LogDirectory): Promise<OpenedLog> {
  const generations = (await directory.generations()).sort((a, b) => b - a);
  if (generations.length === 0 && directory.readOnly) {
    throw storeError('not-found', 'Cannot open the store: there is none');
  }
  const opened =
    (await openWhole(directory, generations)) ?? (await openLog(directory, generations.at(-1) ?? 1));
  if (directory.readOnly) return opened;
  opened.log.dropTail();
  for (const generation of generations) {
    // A file that a read-only tab still holds stays until the next opening.
    if (generation !== opened.generation) await directory.remove(generation).catch(() => undefined);
  }
  return opened;
}

async function openWhole(
  directory: LogDirectory,
  generations: readonly number[],
): Promise<OpenedLog | undefined> {
  for (const generation of generations) {
    const opened = await openLog(directory, generation);
    if (!opened.log.isEmpty) return opened;
    opened.log.close();
  }
  return undefined;
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
