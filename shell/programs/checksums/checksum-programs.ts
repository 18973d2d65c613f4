import { loadedProgram } from '../loaded-program.ts';
import type { Program } from '../program.ts';
import type { DigestName } from './digests.ts';

/** Programs that print and check the checksums of files. */
export const checksumPrograms: Readonly<Record<string, Program>> = {
  b2sum: digest('b2sum'),
  cksum: loadedProgram(async () => (await import('./cksum.ts')).cksum),
  md5sum: digest('md5sum'),
  sha1sum: digest('sha1sum'),
  sha224sum: digest('sha224sum'),
  sha256sum: digest('sha256sum'),
  sha384sum: digest('sha384sum'),
  sha512sum: digest('sha512sum'),
  sum: loadedProgram(async () => (await import('./cksum.ts')).sum),
};

function digest(name: DigestName): Program {
  return loadedProgram(async () => (await import('./digest-program.ts')).digestProgram(name));
}
