import type { Reader } from './reader.ts';

const operators = [
  ';;&',
  ';;',
  ';&',
  ';',
  '&&',
  '&>>',
  '&>',
  '&',
  '||',
  '|&',
  '|',
  '(',
  ')',
  '<<<',
  '<<',
  '<',
  '>>',
  '>',
];

/** The operator here, if there is one. */
function operatorAt(reader: Reader): string | undefined {
  return operators.find((operator) => reader.startsWith(operator));
}

/** The token here as bash names it in its messages. */
export function tokenAt(reader: Reader): string {
  if (reader.isAtEnd || reader.peek() === '\n') return 'newline';
  return operatorAt(reader) ?? rawWord(reader);
}

const word = /(?:\\.|'[^']*'|"(?:\\.|[^"\\])*"|[^\s;&|()<>])+/sy;

/** The word here as it is written. */
export function rawWord(reader: Reader): string {
  word.lastIndex = reader.at;
  return word.exec(reader.source)?.[0] ?? '';
}

const bareWord = /[^\s;&|()<>'"\\$`]+(?=[\s;&|()<>]|$)/y;

/** The word here, if nothing in it is quoted or expanded: what could be reserved or an alias. */
export function bareWordAt(reader: Reader): string | undefined {
  bareWord.lastIndex = reader.at;
  return bareWord.exec(reader.source)?.[0];
}
