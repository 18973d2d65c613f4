import { loadedProgram } from '../loaded-program.ts';
import type { Program } from '../program.ts';

/** Programs that tell about the system, its users and its clock. */
export const systemPrograms: Readonly<Record<string, Program>> = {
  arch: loadedProgram(async () => (await import('./uname.ts')).arch),
  clear: loadedProgram(async () => (await import('./settings.ts')).clear),
  date: loadedProgram(async () => (await import('./date.ts')).date),
  df: loadedProgram(async () => (await import('./space.ts')).df),
  free: loadedProgram(async () => (await import('./space.ts')).free),
  getconf: loadedProgram(async () => (await import('./settings.ts')).getconf),
  getopt: loadedProgram(async () => (await import('./getopt.ts')).getopt),
  groups: loadedProgram(async () => (await import('./id.ts')).groups),
  hostname: loadedProgram(async () => (await import('./uname.ts')).hostname),
  id: loadedProgram(async () => (await import('./id.ts')).id),
  locale: loadedProgram(async () => (await import('./settings.ts')).locale),
  nproc: loadedProgram(async () => (await import('./uname.ts')).nproc),
  reset: loadedProgram(async () => (await import('./settings.ts')).reset),
  stty: loadedProgram(async () => (await import('./stty.ts')).stty),
  sync: loadedProgram(async () => (await import('./settings.ts')).sync),
  tty: loadedProgram(async () => (await import('./settings.ts')).tty),
  uname: loadedProgram(async () => (await import('./uname.ts')).uname),
  whoami: loadedProgram(async () => (await import('./id.ts')).whoami),
};
