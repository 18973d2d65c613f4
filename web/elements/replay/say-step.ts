import { plainLine } from '../text/describe-snapshot.ts';
import type { Step } from './session-steps.ts';

const kinds = {
  command: 'Command',
  call: 'Tool',
  message: 'Message',
  chapter: 'Chapter',
  snapshot: 'Snapshot',
  note: 'Note',
} as const;

/** A step as a caption says it: `Command: make test. exit 2.` */
export function sayStep({ kind, text, role, end }: Step): string {
  const who = role === undefined ? kinds[kind] : `${kinds[kind]} of ${plainLine(role, 20)}`;
  const how = kind === 'command' && end?.failed ? ` ${plainLine(end.text, 20)}.` : '';
  return `${who}: ${plainLine(text, 300)}.${how}`;
}
