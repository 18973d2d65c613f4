import { fileMode } from '../live/file-mode.ts';

const setUserId = 0o4000;
const groupExecute = 0o0010;

/** S_ISGID: on a directory, what is made in it gets its group. */
export const setGroupId = 0o2000;

/** Whether `mode` makes whoever executes the file someone else. */
export function hasSetId(mode: number): boolean {
  return withoutSetId(mode) !== (mode & fileMode.permissions);
}

/**
 * The permissions that are left of `mode` when the content or the owner has changed: no
 * set-user-id, and no set-group-id where it means execution as the group (without group execute it
 * marks mandatory locking).
 */
export function withoutSetId(mode: number): number {
  const executesAsGroup = (mode & groupExecute) !== 0;
  const cleared = setUserId | (executesAsGroup ? setGroupId : 0);
  return mode & fileMode.permissions & ~cleared;
}
