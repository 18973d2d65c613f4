import type { Moment } from '../../../protocol/recording.ts';
import { plainLine } from './describe-snapshot.ts';

/** What to call a moment in one line: the command that ended, or what else it was taken for. */
export function describeMoment({ cause }: Pick<Moment, 'cause'>): string {
  switch (cause.type) {
    case 'command':
      return `after ${plainLine(cause.command) || 'a command'}`;
    case 'interval':
      return 'while programs ran';
    case 'left':
      return 'before going back';
  }
}
