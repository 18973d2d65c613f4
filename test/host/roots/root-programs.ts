import { readFileSync, readlinkSync } from 'node:fs';
import { buildHostProgram } from '../../../bridge-server/programs/build-host-program.ts';
import { CacheFolder, cachePath } from '../../../host/cache/cache-folder.ts';
import { createProgress } from '../../../host/progress.ts';

const building = { cache: new CacheFolder(cachePath()), progress: createProgress() };

/** What makers of roots need, built once. */
export const rootPrograms: Promise<{ readonly scanner: string; readonly unpacker: string }> = build();

async function build() {
  return {
    scanner: await buildHostProgram('scanner', building),
    unpacker: await buildHostProgram('unpacker', building),
  };
}

/** Processes that this one has started of `program`. */
export function runningOf(program: string): number[] {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8');
  const pids = children.split(' ').filter(Boolean).map(Number);
  return pids.filter((pid) => readlinkSync(`/proc/${pid}/exe`) === program);
}
