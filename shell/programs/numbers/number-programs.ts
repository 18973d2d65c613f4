import { loadedProgram } from '../loaded-program.ts';
import type { Program } from '../program.ts';

/** Programs that count and compute. */
export const numberPrograms: Readonly<Record<string, Program>> = {
  bc: loadedProgram(async () => (await import('./bc/bc.ts')).bc),
  expr: loadedProgram(async () => (await import('./expr.ts')).expr),
  factor: loadedProgram(async () => (await import('./factor.ts')).factor),
  numfmt: loadedProgram(async () => (await import('./numfmt.ts')).numfmt),
  seq: loadedProgram(async () => (await import('./seq.ts')).seq),
};
