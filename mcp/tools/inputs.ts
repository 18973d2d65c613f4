import { type ZodExactOptional, type ZodString, z } from 'zod';

/** Which sandbox a tool is about. */
export const sandboxInput: ZodExactOptional<ZodString> = z
  .string()
  .min(1)
  .max(256)
  .describe('Name or id of the sandbox; the default one if left out.')
  .exactOptional();

/** A path in a sandbox. */
export const pathInput: ZodString = z
  .string()
  .max(4_096)
  .startsWith('/')
  .describe('Absolute path in the sandbox, such as /home/user/a.txt.');

/** A snapshot of the past, by whatever names it. */
export const snapshotInput: ZodString = z
  .string()
  .min(1)
  .max(256)
  .describe('A snapshot: an id, the first 4 digits or more of one, a tag, or HEAD.');
