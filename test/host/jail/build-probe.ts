import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const flags = ['-std=gnu17', '-D_GNU_SOURCE', '-Wall', '-Wextra', '-Werror', '-O1', '-static', '-no-pie'];

/** Compiles probe.c to `path`. */
export async function buildProbe(path: string): Promise<void> {
  await run('gcc', [...flags, join(import.meta.dirname, 'probe.c'), '-o', path]);
}

/** What an attempt comes to outside of any jail: the control. */
export async function probeOutside(probe: string, attempt: readonly string[]): Promise<string> {
  return (await run(probe, [...attempt])).stdout.trim();
}
