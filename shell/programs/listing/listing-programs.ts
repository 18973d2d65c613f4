import { loadedProgram } from '../loaded-program.ts';
import type { Program } from '../program.ts';

/** Programs that show which files there are. */
export const listingPrograms: Readonly<Record<string, Program>> = {
  dir: loadedProgram(async () => (await import('./ls.ts')).dir),
  du: loadedProgram(async () => (await import('./du.ts')).du),
  ls: loadedProgram(async () => (await import('./ls.ts')).ls),
  stat: loadedProgram(async () => (await import('./stat.ts')).stat),
  vdir: loadedProgram(async () => (await import('./ls.ts')).vdir),
};
