import { loadedProgram } from '../loaded-program.ts';
import type { Program } from '../program.ts';
import { constant } from './constant.ts';
import { shellWord } from './shell-words.ts';

/** Programs that run others, wait, and signal. */
export const processPrograms: Readonly<Record<string, Program>> = {
  '[': shellWord('['),
  env: loadedProgram(async () => (await import('./env.ts')).env),
  false: constant(1),
  flock: loadedProgram(async () => (await import('../locks/flock.ts')).flock),
  kill: loadedProgram(async () => (await import('./process-control.ts')).kill),
  killall: loadedProgram(async () => (await import('./process-control.ts')).killall),
  nice: loadedProgram(async () => (await import('./run-differently.ts')).nice),
  nohup: loadedProgram(async () => (await import('./run-differently.ts')).nohup),
  pgrep: loadedProgram(async () => (await import('./process-control.ts')).pgrep),
  pkill: loadedProgram(async () => (await import('./process-control.ts')).pkill),
  printenv: loadedProgram(async () => (await import('./env.ts')).printenv),
  printf: shellWord('printf'),
  ps: loadedProgram(async () => (await import('./process-control.ts')).ps),
  sleep: loadedProgram(async () => (await import('./sleep.ts')).sleep),
  sudo: loadedProgram(async () => (await import('./sudo.ts')).sudo),
  test: shellWord('test'),
  time: loadedProgram(async () => (await import('./run-differently.ts')).time),
  timeout: loadedProgram(async () => (await import('./timeout.ts')).timeout),
  true: constant(0),
  uptime: loadedProgram(async () => (await import('./process-control.ts')).uptime),
  which: loadedProgram(async () => (await import('./which.ts')).which),
  xargs: loadedProgram(async () => (await import('./xargs.ts')).xargs),
};
