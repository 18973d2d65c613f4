import type { Builtin } from '../interpret/builtin.ts';

/** `true` and `:` */
export const succeed: Builtin = () => 0;

/** `false` */
export const fail: Builtin = () => 1;
