import { loadedProgram } from '../loaded-program.ts';
import type { Program } from '../program.ts';

/** Programs that pack and compress files. */
export const archivePrograms: Readonly<Record<string, Program>> = {
  gunzip: loadedProgram(async () => (await import('./gzip.ts')).gunzip),
  gzip: loadedProgram(async () => (await import('./gzip.ts')).gzip),
  tar: loadedProgram(async () => (await import('./tar.ts')).tar),
  zcat: loadedProgram(async () => (await import('./gzip.ts')).zcat),
};
