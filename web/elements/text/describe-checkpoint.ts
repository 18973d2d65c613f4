import type { Checkpoint } from '../../../protocol/checkpoint.ts';
import { plainLine } from './describe-snapshot.ts';

/** A one-line title of a checkpoint: the command that ended, or another reason why it was taken. */
export function describeCheckpoint({ cause }: Pick<Checkpoint, 'cause'>): string {
  switch (cause.type) {
    case 'command':
      return `after ${plainLine(cause.command) || 'a command'}`;
    case 'interval':
      return 'while programs ran';
    case 'before-restore':
      return 'before going back';
    // Of a newer host.
    default:
      return plainLine((cause as { readonly type: string }).type, 40);
  }
}
