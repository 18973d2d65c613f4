import type { Program } from '../program.ts';
import { base32, base64 } from './base-program.ts';
import { hexdump } from './hexdump.ts';
import { iconv } from './iconv.ts';
import { od } from './od.ts';
import { xxd } from './xxd.ts';

/** Programs that show bytes in other words. */
export const encodingPrograms: Readonly<Record<string, Program>> = {
  base32,
  base64,
  hexdump,
  iconv,
  od,
  xxd,
};
