import { loadedProgram } from '../loaded-program.ts';
import type { Program } from '../program.ts';

/** Programs that make, move, change and remove files, and that work with their names. */
export const filePrograms: Readonly<Record<string, Program>> = {
  basename: loadedProgram(async () => (await import('./basename.ts')).basename),
  chgrp: loadedProgram(async () => (await import('./chown.ts')).chgrp),
  chmod: loadedProgram(async () => (await import('./chmod.ts')).chmod),
  chown: loadedProgram(async () => (await import('./chown.ts')).chown),
  cp: loadedProgram(async () => (await import('./cp.ts')).cp),
  dd: loadedProgram(async () => (await import('./dd.ts')).dd),
  dirname: loadedProgram(async () => (await import('./basename.ts')).dirname),
  install: loadedProgram(async () => (await import('./install.ts')).install),
  ln: loadedProgram(async () => (await import('./ln.ts')).ln),
  mkdir: loadedProgram(async () => (await import('./mkdir.ts')).mkdir),
  mktemp: loadedProgram(async () => (await import('./mktemp.ts')).mktemp),
  mv: loadedProgram(async () => (await import('./mv.ts')).mv),
  pwd: loadedProgram(async () => (await import('./pwd.ts')).pwd),
  readlink: loadedProgram(async () => (await import('./readlink.ts')).readlink),
  realpath: loadedProgram(async () => (await import('./readlink.ts')).realpath),
  rm: loadedProgram(async () => (await import('./rm.ts')).rm),
  rmdir: loadedProgram(async () => (await import('./rmdir.ts')).rmdir),
  touch: loadedProgram(async () => (await import('./touch.ts')).touch),
  truncate: loadedProgram(async () => (await import('./truncate.ts')).truncate),
};
