import type { Program } from '../program.ts';
import { basename, dirname } from './basename.ts';
import { chmod } from './chmod.ts';
import { chgrp, chown } from './chown.ts';
import { cp } from './cp.ts';
import { dd } from './dd.ts';
import { install } from './install.ts';
import { ln } from './ln.ts';
import { mkdir } from './mkdir.ts';
import { mktemp } from './mktemp.ts';
import { mv } from './mv.ts';
import { pwd } from './pwd.ts';
import { readlink, realpath } from './readlink.ts';
import { rm } from './rm.ts';
import { rmdir } from './rmdir.ts';
import { touch } from './touch.ts';
import { truncate } from './truncate.ts';

/** Programs that make, move, change and remove files, and that work with their names. */
export const filePrograms: Readonly<Record<string, Program>> = {
  basename,
  chgrp,
  chmod,
  chown,
  cp,
  dd,
  dirname,
  install,
  ln,
  mkdir,
  mktemp,
  mv,
  pwd,
  readlink,
  realpath,
  rm,
  rmdir,
  touch,
  truncate,
};
