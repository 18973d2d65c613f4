import { IndexedElements } from '../../state/elements.ts';
import type { ShellText } from '../../text.ts';
import { ExpansionError, type ExpansionScope } from '../expansion-scope.ts';
import type { Piece } from '../pieces.ts';
import { type Captures, matchRegularExpression } from './match-regular-expression.ts';
import { parseRegularExpression } from './regular-expression.ts';

/** `text =~ expression`: what matched, and each group, are in `BASH_REMATCH`. @throws ExpansionError with status 2 of what is no expression */
export function matchAndRemember(text: ShellText, pieces: readonly Piece[], scope: ExpansionScope): boolean {
  const ignoreCase = scope.options.hasShopt('nocasematch');
  const expression = parseRegularExpression(pieces.flatMap(regexPiece), { ignoreCase });
  if (!expression) throw new ExpansionError('', { status: 2 });
  const characters = [...text];
  const captures = match(() => matchRegularExpression(expression, characters));
  const elements = new IndexedElements();
  for (let index = 0; captures && index <= expression.groups; index++) {
    elements.set(index, captured(captures, index, characters));
  }
  scope.variables.setArray('BASH_REMATCH', { type: 'indexed', elements });
  return captures !== undefined;
}

function regexPiece(piece: Piece): { text: ShellText; isQuoted: boolean }[] {
  if (piece.type === 'none') return [];
  if (piece.type === 'break') return [{ text: piece.separator, isQuoted: false }];
  return [{ text: piece.text, isQuoted: piece.type === 'quoted' }];
}

function match(run: () => Captures | undefined): Captures | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof RangeError) throw new ExpansionError('', { status: 2 });
    throw error;
  }
}

function captured(captures: Captures, index: number, characters: readonly string[]): ShellText {
  const start = captures[index * 2] ?? -1;
  const end = captures[index * 2 + 1] ?? -1;
  return start < 0 || end < 0 ? '' : characters.slice(start, end).join('');
}
