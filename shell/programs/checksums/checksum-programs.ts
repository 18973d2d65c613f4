import type { Program } from '../program.ts';
import { cksum, sum } from './cksum.ts';
import { digestProgram } from './digest-program.ts';
import { digests } from './digests.ts';

/** Programs that print and check the checksums of files. */
export const checksumPrograms: Readonly<Record<string, Program>> = {
  ...Object.fromEntries(Object.entries(digests).map(([name, kind]) => [name, digestProgram(kind)])),
  cksum,
  sum,
};
