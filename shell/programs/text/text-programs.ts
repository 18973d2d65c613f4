import type { Program } from '../program.ts';
import { cat } from './cat.ts';
import { column } from './column.ts';
import { comm } from './comm.ts';
import { cut } from './cut.ts';
import { echo } from './echo.ts';
import { expand, unexpand } from './expand.ts';
import { fold } from './fold.ts';
import { head } from './head.ts';
import { join } from './join.ts';
import { nl } from './nl.ts';
import { paste } from './paste.ts';
import { rev, tac } from './reverse.ts';
import { shuf } from './shuf.ts';
import { split } from './split.ts';
import { strings } from './strings.ts';
import { tail } from './tail.ts';
import { tee } from './tee.ts';
import { tr } from './tr.ts';
import { tsort } from './tsort.ts';
import { uniq } from './uniq.ts';
import { wc } from './wc.ts';
import { yes } from './yes.ts';

/** Programs that copy, cut, join and count text. */
export const textPrograms: Readonly<Record<string, Program>> = {
  cat,
  column,
  comm,
  cut,
  echo,
  expand,
  fold,
  head,
  join,
  nl,
  paste,
  rev,
  shuf,
  split,
  strings,
  tac,
  tail,
  tee,
  tr,
  tsort,
  unexpand,
  uniq,
  wc,
  yes,
};
