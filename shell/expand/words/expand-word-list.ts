import { shellLimits } from '../../limits.ts';
import { ShellLimitError } from '../../shell-error.ts';
import type { WordNode, WordPart } from '../../syntax/ast.ts';
import type { ShellText } from '../../text.ts';
import type { ExpansionScope } from '../expansion-scope.ts';
import { expandPathname } from '../patterns/expand-pathname.ts';
import { joinPieces, type Piece } from '../pieces.ts';
import { pause, type Steps } from '../steps.ts';
import { expandBraces } from './expand-braces.ts';
import { splitFields } from './split-fields.ts';
import { expansionFor, plainText } from './word-expansion.ts';

/** Every expansion of words: each becomes none, one or more. */
export function* expandWordList(words: readonly WordNode[], scope: ExpansionScope): Steps<ShellText[]> {
  const expanded: ShellText[] = [];
  for (const word of words) {
    yield* expandWord(word, { scope, into: expanded });
    checkCount(expanded);
  }
  return expanded;
}

function checkCount(words: readonly ShellText[]): void {
  if (words.length <= shellLimits.words) return;
  throw new ShellLimitError('words', `an expansion makes more than ${shellLimits.words} words`);
}

interface Target {
  readonly scope: ExpansionScope;
  readonly into: ShellText[];
}

function* expandWord(word: WordNode, { scope, into }: Target): Steps<void> {
  const plain = plainText(word);
  const [part] = word.parts;
  if (plain !== undefined && (part?.type !== 'Literal' || !/[*?[(]/.test(plain))) {
    into.push(plain);
    return;
  }
  // The value in `export name=value` is one word whatever it has in it.
  if ('assignment' in word) {
    into.push(joinPieces(yield* expansionFor(scope).pieces(word.parts, false)));
    return;
  }
  const alternatives = scope.options.has('braceexpand') ? expandBraces(word) : [word.parts];
  for (const parts of alternatives) {
    yield* expandParts(parts, { scope, into });
    checkCount(into);
    yield* pause();
  }
}

function* expandParts(parts: readonly WordPart[], { scope, into }: Target): Steps<void> {
  const pieces = yield* expansionFor(scope).pieces(parts, false);
  const only = pieces.length === 1 ? pieces[0] : undefined;
  if (only?.type === 'quoted') {
    into.push(only.text);
    return;
  }
  yield* addFields(pieces, { scope, into });
}

function* addFields(pieces: readonly Piece[], { scope, into }: Target): Steps<void> {
  for (const { text, pattern, isPattern } of splitFields(pieces, scope.variables.get('IFS'))) {
    const paths =
      isPattern && !scope.options.has('noglob') ? yield* expandPathname(pattern, scope) : undefined;
    if (paths === undefined) into.push(text);
    else for (const path of paths) into.push(path);
  }
}
