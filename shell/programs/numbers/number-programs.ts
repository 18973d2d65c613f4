import type { Program } from '../program.ts';
import { bc } from './bc/bc.ts';
import { expr } from './expr.ts';
import { factor } from './factor.ts';
import { numfmt } from './numfmt.ts';
import { seq } from './seq.ts';

/** Programs that count and compute. */
export const numberPrograms: Readonly<Record<string, Program>> = { bc, expr, factor, numfmt, seq };
