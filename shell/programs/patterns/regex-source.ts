import type { AssertionKind, RegexNode } from './regex-node.ts';

const word = '[\\p{L}\\p{N}_]';

const assertions: Readonly<Record<AssertionKind, string>> = {
  start: '^',
  end: '$',
  'text-start': '(?<![\\s\\S])',
  'text-end': '(?![\\s\\S])',
  boundary: `(?:(?<=${word})(?!${word})|(?<!${word})(?=${word}))`,
  inside: `(?:(?<=${word})(?=${word})|(?<!${word})(?!${word}))`,
  'word-start': `(?<!${word})(?=${word})`,
  'word-end': `(?<=${word})(?!${word})`,
};

/** The expression in JavaScript's words. */
export function sourceOf(node: RegexNode): string {
  switch (node.type) {
    case 'set':
      return node.source;
    case 'assertion':
      return assertions[node.kind];
    case 'group':
      return `(${sourceOf(node.body)})`;
    case 'sequence':
      return node.nodes.map(sourceOf).join('');
    case 'alternatives':
      return `(?:${node.nodes.map(sourceOf).join('|')})`;
    case 'repeat': {
      const body =
        node.body.type === 'set' || node.body.type === 'group'
          ? sourceOf(node.body)
          : `(?:${sourceOf(node.body)})`;
      return `${body}${quantifierOf(node.least, node.most)}`;
    }
    case 'back-reference':
      return `(?:\\${node.index})`;
  }
}

function quantifierOf(least: number, most: number): string {
  if (most === Number.POSITIVE_INFINITY) return least === 0 ? '*' : least === 1 ? '+' : `{${least},}`;
  if (least === 0 && most === 1) return '?';
  return least === most ? `{${least}}` : `{${least},${most}}`;
}

/** The text that a node is, if it is nothing else. */
function plainText(node: RegexNode): string | undefined {
  if (node.type === 'set') return node.literal;
  if (node.type !== 'sequence') return undefined;
  let text = '';
  for (const part of node.nodes) {
    if (part.type !== 'set' || part.literal === undefined) return undefined;
    text += part.literal;
  }
  return text;
}

/** What it may cost to look for a match by trying one way after the other, as JavaScript does. */
export interface SearchCost {
  /** Unbounded repetitions that stand beside each other. */
  readonly degree: number;
  /** A factor that does not depend on the text. */
  readonly factor: number;
  /** Repetitions within each other: each character may double the ways. */
  readonly isExponential: boolean;
}

/** Steps that one search may take in the worst case before another way of matching is taken. */
const mostSteps = 1e7;
/** Characters on which even an expression with exponential cost ends soon. */
const shortText = 20;

/** Whether JavaScript's way cannot take long on a text of that length. */
export function isCheap({ degree, factor, isExponential }: SearchCost, length: number): boolean {
  if (isExponential) return length <= shortText;
  let steps = factor * (length + 1);
  for (let count = 1; count <= degree; count++) steps *= length / count;
  return steps <= mostSteps;
}

export function searchCost(node: RegexNode): SearchCost {
  switch (node.type) {
    case 'group':
      return searchCost(node.body);
    case 'sequence':
      return node.nodes.map(searchCost).reduce(product, free);
    case 'alternatives': {
      const costs = node.nodes.map(searchCost);
      return {
        degree: costs.reduce((most, { degree }) => Math.max(most, degree), 0),
        factor: costs.reduce((sum, { factor }) => sum + factor, 0),
        isExponential: costs.some(({ isExponential }) => isExponential),
      };
    }
    case 'repeat': {
      const body = searchCost(node.body);
      const isVariable = body.degree > 0 || body.factor > 1;
      if (node.most === Number.POSITIVE_INFINITY) {
        return {
          degree: body.degree + 1,
          factor: body.factor,
          isExponential: body.isExponential || isVariable,
        };
      }
      const copies = node.most - node.least + 1;
      return {
        degree: body.degree * node.most,
        factor: copies * (isVariable ? body.factor ** Math.min(node.most, 64) : 1),
        isExponential: body.isExponential,
      };
    }
    default:
      return free;
  }
}

const free: SearchCost = { degree: 0, factor: 1, isExponential: false };

function product(a: SearchCost, b: SearchCost): SearchCost {
  return {
    degree: a.degree + b.degree,
    factor: a.factor * b.factor,
    isExponential: a.isExponential || b.isExponential,
  };
}

/** Whether the first way that JavaScript finds may be shorter than another: alternatives of which several can match at a place. */
export function mayFindShorter(node: RegexNode): boolean {
  switch (node.type) {
    case 'group':
      return mayFindShorter(node.body);
    case 'repeat':
      return mayFindShorter(node.body);
    case 'sequence':
      return node.nodes.some(mayFindShorter);
    case 'alternatives': {
      if (node.nodes.some(mayFindShorter)) return true;
      const texts = node.nodes.map(plainText);
      if (texts.every((text) => text !== undefined)) {
        return texts.some((text, index) => texts.some((other, at) => at !== index && other.startsWith(text)));
      }
      const firsts = node.nodes.map(firstLiteral);
      return (
        firsts.includes(undefined) ||
        new Set(firsts.map((first) => first?.toLowerCase())).size < firsts.length
      );
    }
    default:
      return false;
  }
}

function firstLiteral(node: RegexNode): string | undefined {
  if (node.type === 'set') return node.literal;
  if (node.type === 'group') return firstLiteral(node.body);
  if (node.type === 'sequence' && node.nodes[0]) return firstLiteral(node.nodes[0]);
  return node.type === 'repeat' && node.least > 0 ? firstLiteral(node.body) : undefined;
}

export function hasBackReferences(node: RegexNode): boolean {
  switch (node.type) {
    case 'back-reference':
      return true;
    case 'group':
    case 'repeat':
      return hasBackReferences(node.body);
    case 'sequence':
    case 'alternatives':
      return node.nodes.some(hasBackReferences);
    default:
      return false;
  }
}
