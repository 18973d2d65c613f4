import type { BuiltinOf } from './interpreter.ts';
import type { Shell } from './shell.ts';

/** A command that the shell itself runs, in its own process. Answers its status. */
export type Builtin = BuiltinOf<Shell>;

/** POSIX's special built-ins: in POSIX mode they go before functions, and their mistakes end the shell. */
export const specialBuiltins: ReadonlySet<string> = new Set([
  ':',
  '.',
  'break',
  'continue',
  'eval',
  'exec',
  'exit',
  'export',
  'readonly',
  'return',
  'set',
  'shift',
  'source',
  'times',
  'trap',
  'unset',
]);
