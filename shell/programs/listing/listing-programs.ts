import type { Program } from '../program.ts';
import { du } from './du.ts';
import { dir, ls, vdir } from './ls.ts';
import { stat } from './stat.ts';

/** Programs that show which files there are. */
export const listingPrograms: Readonly<Record<string, Program>> = { dir, du, ls, stat, vdir };
