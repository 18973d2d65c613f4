// The benchmarks' workers, for the command in Node to ask.
import { ask } from './ask.ts';
import type { FileSystem, FilesTest, GuestRequest, PhaseTimes } from './guest-files-worker.ts';
import type { CommitTimes } from './measure-commits.ts';

const guests = new Map<FileSystem, Worker>();

const workers = {
  /** Starts a guest on a file system; `runRound` works from then on. */
  startGuest(fileSystem: FileSystem): Promise<void> {
    const guest = new Worker(new URL('./guest-files-worker.ts', import.meta.url), { type: 'module' });
    guests.set(fileSystem, guest);
    return ask(guest, { type: 'start', fileSystem } satisfies GuestRequest);
  },
  runRound(fileSystem: FileSystem, test: FilesTest): Promise<PhaseTimes> {
    const guest = guests.get(fileSystem);
    if (!guest) return Promise.reject(new RangeError(`No guest runs on the file system "${fileSystem}"`));
    return ask(guest, { type: 'round', test } satisfies GuestRequest);
  },
  /** Milliseconds that v86 as it is takes to be made and put at the golden state, in a worker whose code is there. */
  measureRestore(): Promise<number> {
    const worker = new Worker(new URL('./restore-worker.ts', import.meta.url), { type: 'module' });
    return ask<number>(worker, undefined).finally(() => worker.terminate());
  },
  measureCommits(): Promise<CommitTimes> {
    const worker = new Worker(new URL('./commits-worker.ts', import.meta.url), { type: 'module' });
    return ask<CommitTimes>(worker, undefined).finally(() => worker.terminate());
  },
};

declare global {
  var bench: typeof workers;
}
globalThis.bench = workers;
