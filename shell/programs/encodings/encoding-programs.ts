import { loadedProgram } from '../loaded-program.ts';
import type { Program } from '../program.ts';

/** Programs that show bytes in other words. */
export const encodingPrograms: Readonly<Record<string, Program>> = {
  base32: loadedProgram(async () => (await import('./base-program.ts')).base32),
  base64: loadedProgram(async () => (await import('./base-program.ts')).base64),
  hexdump: loadedProgram(async () => (await import('./hexdump.ts')).hexdump),
  iconv: loadedProgram(async () => (await import('./iconv.ts')).iconv),
  od: loadedProgram(async () => (await import('./od.ts')).od),
  xxd: loadedProgram(async () => (await import('./xxd.ts')).xxd),
};
