import type { WordNode, WordPart } from '../syntax/ast.ts';
import type { ShellText } from '../text.ts';
import type { ExpansionScope } from './expansion-scope.ts';
import type { Piece } from './pieces.ts';
import type { Steps } from './steps.ts';

/** Expansion of words for what is expanded within it: the word of `${x:-word}`, a subscript, a pattern. */
export interface Expansion {
  readonly scope: ExpansionScope;
  /** Expands parts one after the other, as if they stood in double quotes where `quoted`. */
  pieces(parts: readonly WordPart[], quoted: boolean): Steps<Piece[]>;
  text(word: WordNode): Steps<ShellText>;
  pattern(word: WordNode): Steps<ShellText>;
  /** The value of an arithmetic expression that is expanded first. */
  evaluate(text: ShellText): Steps<bigint>;
  /** An index, or an associative array's key, of a subscript's source. */
  key(name: string, subscript: ShellText): Steps<ShellText | number>;
}
