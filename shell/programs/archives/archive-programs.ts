import type { Program } from '../program.ts';
import { gunzip, gzip, zcat } from './gzip.ts';
import { tar } from './tar.ts';

/** Programs that pack and compress files. */
export const archivePrograms: Readonly<Record<string, Program>> = { gunzip, gzip, tar, zcat };
