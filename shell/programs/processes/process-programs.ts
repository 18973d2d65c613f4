import { flock } from '../locks/flock.ts';
import type { Program } from '../program.ts';
import { constant } from './constant.ts';
import { env, printenv } from './env.ts';
import { kill, killall, pgrep, pkill, ps, uptime } from './process-control.ts';
import { nice, nohup, time } from './run-differently.ts';
import { shellWord } from './shell-words.ts';
import { sleep } from './sleep.ts';
import { sudo } from './sudo.ts';
import { timeout } from './timeout.ts';
import { which } from './which.ts';
import { xargs } from './xargs.ts';

/** Programs that run others, wait, and signal. */
export const processPrograms: Readonly<Record<string, Program>> = {
  '[': shellWord('['),
  env,
  false: constant(1),
  flock,
  kill,
  killall,
  nice,
  nohup,
  pgrep,
  pkill,
  printenv,
  printf: shellWord('printf'),
  ps,
  sleep,
  sudo,
  test: shellWord('test'),
  time,
  timeout,
  true: constant(0),
  uptime,
  which,
  xargs,
};
