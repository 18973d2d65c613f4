import { loadedProgram } from '../loaded-program.ts';
import type { Program } from '../program.ts';

/** Programs that copy, cut, join and count text. */
export const textPrograms: Readonly<Record<string, Program>> = {
  cat: loadedProgram(async () => (await import('./cat.ts')).cat),
  column: loadedProgram(async () => (await import('./column.ts')).column),
  comm: loadedProgram(async () => (await import('./comm.ts')).comm),
  cut: loadedProgram(async () => (await import('./cut.ts')).cut),
  echo: loadedProgram(async () => (await import('./echo.ts')).echo),
  expand: loadedProgram(async () => (await import('./expand.ts')).expand),
  fold: loadedProgram(async () => (await import('./fold.ts')).fold),
  head: loadedProgram(async () => (await import('./head.ts')).head),
  join: loadedProgram(async () => (await import('./join.ts')).join),
  nl: loadedProgram(async () => (await import('./nl.ts')).nl),
  paste: loadedProgram(async () => (await import('./paste.ts')).paste),
  rev: loadedProgram(async () => (await import('./reverse.ts')).rev),
  shuf: loadedProgram(async () => (await import('./shuf.ts')).shuf),
  split: loadedProgram(async () => (await import('./split.ts')).split),
  strings: loadedProgram(async () => (await import('./strings.ts')).strings),
  tac: loadedProgram(async () => (await import('./reverse.ts')).tac),
  tail: loadedProgram(async () => (await import('./tail.ts')).tail),
  tee: loadedProgram(async () => (await import('./tee.ts')).tee),
  tr: loadedProgram(async () => (await import('./tr.ts')).tr),
  tsort: loadedProgram(async () => (await import('./tsort.ts')).tsort),
  unexpand: loadedProgram(async () => (await import('./expand.ts')).unexpand),
  uniq: loadedProgram(async () => (await import('./uniq.ts')).uniq),
  wc: loadedProgram(async () => (await import('./wc.ts')).wc),
  yes: loadedProgram(async () => (await import('./yes.ts')).yes),
};
