import { AssociativeElements, IndexedElements } from '../../state/elements.ts';
import { AssignmentError } from '../../state/variables.ts';
import { elementOf } from '../../syntax/assignment-word.ts';
import type { ElementWordNode, WordNode, WordPart } from '../../syntax/ast.ts';
import { parseSubscript } from '../../syntax/parse.ts';
import type { ShellText } from '../../text.ts';
import type { ExpansionScope } from '../expansion-scope.ts';
import type { Steps } from '../steps.ts';
import { expandWordList } from '../words/expand-word-list.ts';
import { expansionFor } from '../words/word-expansion.ts';

interface ArrayValue {
  readonly words: readonly WordNode[];
  readonly append: boolean;
  readonly local: boolean;
}

/** `name=(…)` and `name+=(…)`. The values are expanded before anything is assigned. */
export function* assignArray(
  name: string,
  { words, append, local }: ArrayValue,
  scope: ExpansionScope,
): Steps<void> {
  const { variables } = scope;
  const isFresh = local && !variables.isLocal(name);
  const type = isFresh ? undefined : variables.typeOf(name);
  const current = append && !isFresh ? variables.variable(followed(name, scope))?.value : undefined;
  if (type === 'associative') {
    const elements = AssociativeElements.of(current?.type === 'associative' ? current.elements : []);
    const earlier = append || isFresh ? elements : associativeElements(name, scope);
    yield* fillAssociative(elements, { name, words, earlier }, scope);
    if (local) variables.declare(name, { local, type });
    variables.setArray(name, { type: 'associative', elements });
    return;
  }
  yield* assignIndexed(name, { words, append, local }, scope);
}

function followed(name: string, scope: ExpansionScope): string {
  return scope.variables.follow(name);
}

/** One place of an indexed array, and its value, which was expanded. */
interface IndexedItem {
  readonly element: ElementWordNode['element'] | undefined;
  readonly texts: readonly ShellText[];
}

/** All values are expanded first. Then the array is emptied, and subscripts are evaluated when their turn comes. */
function* assignIndexed(
  name: string,
  { words, append, local }: ArrayValue,
  scope: ExpansionScope,
): Steps<void> {
  const items: IndexedItem[] = [];
  for (const word of words) {
    const hasBraces = word.parts.some(({ type }) => type === 'BraceExpansion');
    const element = hasBraces ? undefined : elementOf(word);
    const texts = element
      ? [yield* expansionFor(scope).text(element.value)]
      : yield* expandWordList([word], scope);
    items.push({ element, texts });
  }
  const { variables } = scope;
  if (local) variables.declare(name, { local, type: 'indexed' });
  const current = append ? variables.variable(followed(name, scope))?.value : undefined;
  if (items.every(({ element }) => !element)) {
    const elements = new IndexedElements();
    if (current?.type === 'indexed') for (const [index, text] of current.elements) elements.set(index, text);
    else if (current?.type === 'text') elements.set(0, current.text);
    for (const { texts } of items) for (const text of texts) elements.set(elements.highest + 1, text);
    variables.setArray(name, { type: 'indexed', elements });
    return;
  }
  if (!append) variables.setArray(name, { type: 'indexed', elements: new IndexedElements() });
  yield* assignItems(name, items, scope);
}

function* assignItems(name: string, items: readonly IndexedItem[], scope: ExpansionScope): Steps<void> {
  const { variables } = scope;
  let next = highestIndex(name, scope) + 1;
  for (const { element, texts } of items) {
    if (!element) {
      for (const text of texts) variables.setElement(name, next++, text);
      continue;
    }
    const given = Number(yield* expansionFor(scope).evaluate(element.subscript));
    const index = given < 0 ? highestIndex(name, scope) + 1 + given : given;
    if (index < 0 || !Number.isSafeInteger(index)) {
      throw new AssignmentError(`[${element.subscript}]: bad array subscript`);
    }
    variables.setElement(name, index, texts[0] ?? '', { append: element.append });
    next = index + 1;
  }
}

function highestIndex(name: string, scope: ExpansionScope): number {
  const value = scope.variables.variable(followed(name, scope))?.value;
  if (value?.type === 'text') return 0;
  if (value?.type !== 'indexed') return -1;
  if (value.elements instanceof IndexedElements) return value.elements.highest;
  let highest = -1;
  for (const index of value.elements.keys()) highest = Math.max(highest, index);
  return highest;
}

function associativeElements(name: string, scope: ExpansionScope): ReadonlyMap<ShellText, ShellText> {
  const value = scope.variables.variable(followed(name, scope))?.value;
  return value?.type === 'associative' ? value.elements : new Map();
}

interface AssociativeWords {
  readonly name: string;
  readonly words: readonly WordNode[];
  /** What `[key]+=value` is appended to: the array as it was, where it gets a new value. */
  readonly earlier: ReadonlyMap<ShellText, ShellText>;
}

function* fillAssociative(
  elements: AssociativeElements,
  { name, words, earlier }: AssociativeWords,
  scope: ExpansionScope,
): Steps<void> {
  const [first] = words;
  if (first && !elementOf(first)) {
    yield* fillPairs(elements, words, scope);
    return;
  }
  for (const word of words) {
    const element = elementOf(word);
    if (!element) {
      const text = yield* expansionFor(scope).text(word);
      scope.warn(`${name}: '${text}': must use subscript when assigning associative array`);
      continue;
    }
    const key = yield* expansionFor(scope).text(parseSubscript(element.subscript));
    elements.set(key, yield* elementText(element, { name, earlier: earlier.get(key) }, scope));
  }
}

/** Keys and values by turns. */
function* fillPairs(
  elements: AssociativeElements,
  words: readonly WordNode[],
  scope: ExpansionScope,
): Steps<void> {
  const texts: ShellText[] = [];
  for (const word of words) texts.push(yield* expansionFor(scope).text(word));
  for (let at = 0; at < texts.length; at += 2) elements.set(texts[at] ?? '', texts[at + 1] ?? '');
}

/** Tildes in an associative array's value stand for themselves. */
function withoutTildes({ parts }: WordNode): WordNode {
  const plain = parts.map((part): WordPart => {
    return part.type === 'TildeExpansion' ? { type: 'Literal', value: `~${part.user ?? ''}` } : part;
  });
  return { type: 'Word', parts: plain };
}

function* elementText(
  { value, append }: ElementWordNode['element'],
  { name, earlier }: { name: string; earlier: ShellText | undefined },
  scope: ExpansionScope,
): Steps<ShellText> {
  const expansion = expansionFor(scope);
  const text = yield* expansion.text(withoutTildes(value));
  if (!append || earlier === undefined) return text;
  const isInteger = scope.variables.variable(followed(name, scope))?.attributes.has('integer');
  if (!isInteger) return earlier + text;
  return String(BigInt.asIntN(64, (yield* expansion.evaluate(earlier)) + (yield* expansion.evaluate(text))));
}
