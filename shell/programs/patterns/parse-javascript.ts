import type { ParsedRegex, RegexNode } from './regex-node.ts';

interface ParsedJavascript extends ParsedRegex {
  /** It looks ahead or behind, of which the nodes say nothing. */
  readonly looksAround: boolean;
}

const nothing: RegexNode = { type: 'sequence', nodes: [] };

/** One element of an expression in JavaScript's words: a group's beginning, a set, an assertion, a back reference. */
const element =
  /\(\?(?:[ims]*:|<?[=!]|<\w+>)|\\[bB]|\\k<\w+>|\\[1-9]\d*|\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\c[a-zA-Z]|\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|[\s\S]/uy;

/** Reads an expression that JavaScript takes with the flag `u`, to see what it may cost and to match it in another way. */
export function parseJavascript(source: string): ParsedJavascript {
  let groups = 0;
  let looksAround = false;
  const names = new Map<string, number>();
  let at = 0;
  const root = alternatives();
  return { root, groups, looksAround };

  function take(): string {
    element.lastIndex = at;
    const taken = element.exec(source)?.[0] ?? '';
    at += taken.length;
    return taken;
  }

  function alternatives(): RegexNode {
    const nodes = [sequence()];
    while (source[at] === '|') {
      at += 1;
      nodes.push(sequence());
    }
    return nodes.length === 1 ? (nodes[0] ?? nothing) : { type: 'alternatives', nodes };
  }

  function sequence(): RegexNode {
    const nodes: RegexNode[] = [];
    while (at < source.length && source[at] !== '|' && source[at] !== ')') nodes.push(quantified(atom()));
    return { type: 'sequence', nodes };
  }

  function quantified(body: RegexNode): RegexNode {
    const quantifier = /([*+?]|\{(\d+)(,?)(\d*)\})(\??)/y;
    quantifier.lastIndex = at;
    const match = quantifier.exec(source);
    if (match === null) return body;
    at += match[0].length;
    const [, sign = '', first = '0', comma, last = '', lazy] = match;
    const least = sign === '+' ? 1 : Number(first);
    const isOpen = sign === '*' || sign === '+' || (comma === ',' && last === '');
    const bound = sign === '?' ? 1 : comma === ',' ? Number(last) : least;
    return {
      type: 'repeat',
      body,
      least,
      most: isOpen ? Number.POSITIVE_INFINITY : bound,
      isLazy: lazy === '?',
    };
  }

  function atom(): RegexNode {
    const taken = take();
    if (taken.startsWith('(')) return group(taken);
    switch (taken) {
      case '^':
        return { type: 'assertion', kind: 'start' };
      case '$':
        return { type: 'assertion', kind: 'end' };
      case '\\b':
        return { type: 'assertion', kind: 'boundary' };
      case '\\B':
        return { type: 'assertion', kind: 'inside' };
      default:
    }
    const [, name] = /^\\k<(\w+)>$/.exec(taken) ?? [];
    if (name !== undefined) return { type: 'back-reference', index: names.get(name) ?? 0 };
    if (/^\\[1-9]\d*$/.test(taken)) return { type: 'back-reference', index: Number(taken.slice(1)) };
    return { type: 'set', source: taken };
  }

  function group(opening: string): RegexNode {
    const isLook = /[=!]$/.test(opening);
    const isPlain = opening.endsWith(':');
    const [, name] = /^\(\?<(\w+)>$/.exec(opening) ?? [];
    if (!isLook && !isPlain) groups += 1;
    const index = groups;
    if (name !== undefined) names.set(name, index);
    const body = alternatives();
    at += 1;
    if (isLook) {
      looksAround = true;
      // What it costs counts.
      return { type: 'repeat', body, least: 0, most: 1 };
    }
    return isPlain ? body : { type: 'group', index, body };
  }
}
