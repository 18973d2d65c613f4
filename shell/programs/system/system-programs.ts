import type { Program } from '../program.ts';
import { date } from './date.ts';
import { getopt } from './getopt.ts';
import { groups, id, whoami } from './id.ts';
import { clear, getconf, locale, reset, sync, tty } from './settings.ts';
import { df, free } from './space.ts';
import { stty } from './stty.ts';
import { arch, hostname, nproc, uname } from './uname.ts';

/** Programs that tell about the system, its users and its clock. */
export const systemPrograms: Readonly<Record<string, Program>> = {
  arch,
  clear,
  date,
  df,
  free,
  getconf,
  getopt,
  groups,
  hostname,
  id,
  locale,
  nproc,
  reset,
  stty,
  sync,
  tty,
  uname,
  whoami,
};
