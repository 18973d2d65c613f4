import { ShellError } from '../shell-error.ts';
import type { OpenFile } from './open-file.ts';

/** What stands for a descriptor that is not open. */
export const closedFile: OpenFile = {
  type: 'null',
  read: () => Promise.reject(new ShellError('EBADF')),
  unread: () => {},
  write: () => Promise.reject(new ShellError('EBADF')),
  retain: () => {},
  release: () => {},
};
