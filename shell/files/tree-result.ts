import { errno } from '../../tree/live/errno.ts';
import type { Result } from '../../tree/live/file-tree.ts';
import { type ErrorName, errorMessages, ShellError } from '../shell-error.ts';

const names = new Map<number, ErrorName>();
for (const [name, number] of Object.entries(errno)) {
  if (Object.hasOwn(errorMessages, name)) names.set(number, name as ErrorName);
}

/** A result of the tree that is no failure. @throws ShellError of one that is */
export function checked(result: Result): number {
  if (result < 0) throw new ShellError(names.get(-result) ?? 'EIO');
  return result;
}
