import type { Program } from '../program.ts';
import { cmp } from './cmp.ts';
import { diff } from './diff.ts';
import { patch } from './patch.ts';

/** Programs that show how files differ, and that apply such differences. */
export const comparePrograms: Readonly<Record<string, Program>> = { cmp, diff, patch };
