import type { RedirectionNode } from '../ast.ts';
import { openHereDocument } from './here-documents.ts';
import { readWord } from './read-word.ts';
import type { Reader } from './reader.ts';
import { skipBlanks } from './skip-blanks.ts';
import { tokenAt } from './token-at.ts';

const descriptor = /(?:(\d+)|\{([A-Za-z_]\w*(?:\[[^\]]*\])?)\})(?=[<>])/y;

/** Those that begin alike stand before the shorter ones. */
const operators = ['<<<', '<<-', '<<', '<>', '<&', '<', '>>', '>&', '>|', '>', '&>>', '&>'] as const;

/** `2>file`, `<<word`, `{fd}<&3`, …; `undefined` where there is none. */
export function readRedirection(reader: Reader): RedirectionNode | undefined {
  const from = reader.at;
  descriptor.lastIndex = from;
  const [prefix = '', digits, fdVariable] = descriptor.exec(reader.source) ?? [];
  reader.at += prefix.length;
  const operator = operators.find((symbol) => reader.startsWith(symbol));
  const isProcess = (operator === '<' || operator === '>') && reader.peek(1) === '(' && prefix === '';
  if (operator === undefined || isProcess || (operator.startsWith('&') && prefix !== '')) {
    reader.at = from;
    return undefined;
  }
  reader.at += operator.length;
  return {
    type: 'Redirection',
    fd: digits === undefined ? null : Number(digits),
    ...(fdVariable === undefined ? {} : { fdVariable }),
    operator,
    target: readTarget(reader, operator),
  };
}

function readTarget(reader: Reader, operator: RedirectionNode['operator']): RedirectionNode['target'] {
  skipBlanks(reader);
  if (operator === '<<' || operator === '<<-') {
    const from = reader.at;
    const document = openHereDocument(reader, operator === '<<-');
    if (reader.at === from) throw reader.unexpectedToken(tokenAt(reader));
    return document;
  }
  const target = readWord(reader);
  if (target === undefined) throw reader.unexpectedToken(tokenAt(reader));
  return target;
}
