import type { ShellText } from '../text.ts';
import { escapePattern } from './patterns/escape-pattern.ts';

/** What parts of a word expand to, before it is divided into words. */
export type Piece =
  /** It stood in quotes, or counts as if: it is not divided, and is no pattern. */
  | { readonly type: 'quoted'; readonly text: ShellText }
  /** It stands in the source without quotes: not divided, but it may be a pattern. */
  | { readonly type: 'literal'; readonly text: ShellText }
  /** An expansion without quotes: it is divided, and may be a pattern. */
  | { readonly type: 'expanded'; readonly text: ShellText }
  /** Between elements of a list; what joins them where words are not divided. */
  | { readonly type: 'break'; readonly separator: ShellText; readonly isQuoted: boolean }
  /** A list in quotes that has no elements: with nothing else in the quotes it is no word. */
  | { readonly type: 'none' };

/** The pieces as one text. */
export function joinPieces(pieces: readonly Piece[]): ShellText {
  let text = '';
  for (const piece of pieces) {
    if (piece.type === 'break') text += piece.separator;
    else if (piece.type !== 'none') text += piece.text;
  }
  return text;
}

/** The pieces as a pattern, in which what was quoted stands for itself. */
export function joinPattern(pieces: readonly Piece[]): ShellText {
  let pattern = '';
  for (const piece of pieces) {
    if (piece.type === 'break') pattern += piece.separator;
    else if (piece.type === 'quoted') pattern += escapePattern(piece.text);
    else if (piece.type !== 'none') pattern += piece.text;
  }
  return pattern;
}
