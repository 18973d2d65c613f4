import type { Program } from '../program.ts';

/** `true`, `false`, `:` and others that do nothing, whatever their arguments are. */
export function constant(status: number): Program {
  return async () => status;
}
