import { loadedProgram } from '../loaded-program.ts';
import type { Program } from '../program.ts';

/** Programs that show how files differ, and that apply such differences. */
export const comparePrograms: Readonly<Record<string, Program>> = {
  cmp: loadedProgram(async () => (await import('./cmp.ts')).cmp),
  diff: loadedProgram(async () => (await import('./diff.ts')).diff),
  patch: loadedProgram(async () => (await import('./patch.ts')).patch),
};
