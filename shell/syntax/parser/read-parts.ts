import { decodeAnsiC } from '../ansi-c.ts';
import type { BareParameterPart, WordPart } from '../ast.ts';
import { readParameter } from './read-parameter.ts';
import {
  readArithmetic,
  readBackquotes,
  readCommandSubstitution,
  readProcessSubstitution,
} from './read-substitution.ts';
import type { PartsOptions, Reader } from './reader.ts';

/** Reads text up to its end into the parts that a word has. */
export function readParts(reader: Reader, options: PartsOptions): WordPart[] {
  return new PartsReader(reader, options).read();
}

/** What a backslash quotes between double quotes; elsewhere there it stands for itself. */
const escapable: Readonly<Record<'double' | 'here-document' | 'brace-double', string>> = {
  double: '$`"\\',
  'here-document': '$`\\',
  'brace-double': '$`"\\}',
};

/** What a part of a word counts for, beside the characters that are looked at again. */
const partWork = 64;

class PartsReader {
  readonly #reader: Reader;
  readonly #options: PartsOptions;
  readonly #parts: WordPart[] = [];
  #literal = '';
  #groupDepth = 0;
  #mayBeTilde: boolean;
  #isAssignment: boolean;
  #isInApostrophes = false;

  constructor(reader: Reader, options: PartsOptions) {
    this.#reader = reader;
    this.#options = options;
    this.#mayBeTilde = options.tilde !== undefined;
    this.#isAssignment = options.tilde === 'assignment';
  }

  read(): WordPart[] {
    const reader = this.#reader;
    while (!reader.isAtEnd && !this.#isEnd()) this.#readOne();
    this.#flush();
    return this.#parts;
  }

  #isEnd(): boolean {
    return this.#groupDepth === 0 && !this.#isInApostrophes && this.#options.isEnd(this.#reader);
  }

  #readOne(): void {
    const reader = this.#reader;
    const character = reader.peek();
    const mayBeTilde = this.#mayBeTilde;
    this.#mayBeTilde = false;
    if (character === '\\') this.#readBackslash();
    else if (character === '$') this.#readDollar();
    else if (character === '`')
      this.#push(readBackquotes(reader, this.#isQuoted && this.#options.quoting !== 'here-document'));
    else if (character === "'" && !this.#isQuoted) this.#readSingleQuotes();
    else if (character === "'" && this.#options.quoting === 'brace-double') this.#readApostrophe();
    else if (character === '"' && this.#hasInnerQuotes) this.#push(readDoubleQuotes(reader));
    else if (mayBeTilde && character === '~') this.#readTilde();
    else if ((character === '<' || character === '>') && reader.peek(1) === '(' && !this.#isQuoted) {
      this.#push(readProcessSubstitution(reader));
    } else this.#readPlain(character);
  }

  get #isQuoted(): boolean {
    const { quoting } = this.#options;
    return quoting !== 'word' && quoting !== 'brace';
  }

  get #hasInnerQuotes(): boolean {
    const { quoting } = this.#options;
    return quoting !== 'double' && quoting !== 'here-document';
  }

  #push(part: WordPart): void {
    this.#flush();
    this.#reader.spend(partWork);
    this.#parts.push(part);
  }

  #flush(): void {
    if (this.#literal !== '') this.#parts.push({ type: 'Literal', value: this.#literal });
    this.#literal = '';
  }

  #readBackslash(): void {
    const reader = this.#reader;
    const next = reader.peek(1);
    const { quoting } = this.#options;
    if (next === '\n') {
      reader.at += 2;
      return;
    }
    const isEscape =
      quoting === 'word' || quoting === 'brace' ? next !== '' : escapable[quoting].includes(next);
    if (!isEscape || next === '') {
      this.#literal += '\\';
      reader.at += 1;
      return;
    }
    const [value = next] = reader.source.slice(reader.at + 1, reader.at + 3);
    this.#push({ type: 'Escaped', value });
    reader.at += 1 + value.length;
  }

  #readSingleQuotes(): void {
    const reader = this.#reader;
    const end = reader.source.indexOf("'", reader.at + 1);
    if (end === -1) throw reader.unexpectedEnd("'", reader.at);
    this.#push({ type: 'SingleQuoted', value: reader.source.slice(reader.at + 1, end) });
    reader.at = end + 1;
  }

  /** In `"${x:-'}'}"` apostrophes quote nothing, but hide the brace. */
  #readApostrophe(): void {
    const reader = this.#reader;
    this.#literal += "'";
    reader.at += 1;
    if (reader.options.posix?.()) return;
    this.#isInApostrophes = !this.#isInApostrophes && reader.source.includes("'", reader.at);
  }

  #readDollar(): void {
    const reader = this.#reader;
    reader.joinLinesAt(reader.at + 1);
    if (reader.peek(1) === '(') reader.joinLinesAt(reader.at + 2);
    const next = reader.peek(1);
    if (next === '{')
      this.#push(readParameter(reader, { quoting: this.#options.quoting, isAssignment: this.#isAssignment }));
    else if (next === '(') this.#push(readArithmetic(reader) ?? readCommandSubstitution(reader));
    else if (next === '[') this.#push(readArithmetic(reader) ?? { type: 'Literal', value: '$' });
    else if (
      next === "'" &&
      this.#options.quoting !== 'double' &&
      this.#options.quoting !== 'here-document'
    ) {
      this.#push(readAnsiQuotes(reader));
    } else if (next === '"' && this.#hasInnerQuotes) {
      reader.at += 1;
      this.#push(readDoubleQuotes(reader));
    } else this.#readPlainParameter();
  }

  #readPlainParameter(): void {
    const reader = this.#reader;
    let parameter = plainParameterAt(reader, reader.at + 1);
    if (parameter === undefined) {
      this.#literal += '$';
      reader.at += 1;
      return;
    }
    reader.at += 1 + parameter.length;
    const isHereDocument = this.#options.quoting === 'here-document';
    if (isHereDocument && parameter === '*') parameter = '@';
    const part: BareParameterPart = { type: 'ParameterExpansion', parameter, operation: null, isBare: true };
    this.#push(part);
  }

  #readTilde(): void {
    const reader = this.#reader;
    tildePrefix.lastIndex = reader.at;
    const [prefix = '~', user = ''] = tildePrefix.exec(reader.source) ?? [];
    const from = reader.at;
    reader.at += prefix.length;
    const next = reader.peek();
    const isPrefix =
      next === '/' || reader.isAtEnd || this.#options.isEnd(reader) || (this.#isAssignment && next === ':');
    if (isPrefix) {
      this.#push({ type: 'TildeExpansion', user: user === '' ? null : user });
      return;
    }
    this.#literal += '~';
    reader.at = from + 1;
  }

  #readPlain(character: string): void {
    const reader = this.#reader;
    const { groups, tilde, quoting } = this.#options;
    reader.at += 1;
    this.#literal += character;
    if (groups !== undefined) this.#countGroups(character, groups);
    if (tilde === undefined) return;
    const mayAssign = character === '=' && quoting === 'word' && !reader.options.posix?.();
    if (mayAssign && !this.#isAssignment && this.#parts.length === 0) {
      this.#isAssignment = assignmentName.test(this.#literal);
      this.#mayBeTilde = this.#isAssignment;
    } else if (character === ':' && this.#isAssignment) this.#mayBeTilde = true;
  }

  #countGroups(character: string, groups: 'patterns' | 'regular-expression'): void {
    const reader = this.#reader;
    if (character === ')' && this.#groupDepth > 0) this.#groupDepth -= 1;
    else if (character === '(' && (this.#groupDepth > 0 || groups === 'regular-expression'))
      this.#groupDepth += 1;
    else if (
      groups === 'patterns' &&
      '?*+@!'.includes(character) &&
      reader.peek() === '(' &&
      reader.hasPatternGroups
    ) {
      reader.at += 1;
      this.#literal += '(';
      this.#groupDepth += 1;
    }
  }
}

const plainParameter = /[A-Za-z_]\w*|[0-9@*#?$!-]/y;
const tildePrefix = /~([\w.+-]*)/y;
const assignmentName = /^[A-Za-z_]\w*\+?=$/;

/** The name goes on in the next line where a backslash joins it. */
function plainParameterAt(reader: Reader, at: number): string | undefined {
  for (;;) {
    plainParameter.lastIndex = at;
    const name = plainParameter.exec(reader.source)?.[0];
    if (name === undefined || !/^[A-Za-z_]/.test(name) || !reader.source.startsWith('\\\n', at + name.length))
      return name;
    reader.joinLinesAt(at + name.length);
  }
}

/** `"…"`, from its quote on. */
function readDoubleQuotes(reader: Reader): WordPart {
  const openedAt = reader.at;
  reader.at += 1;
  const parts = readParts(reader, { quoting: 'double', isEnd: isDoubleQuote });
  if (!reader.take('"')) throw reader.unexpectedEnd('"', openedAt);
  return { type: 'DoubleQuoted', parts };
}

function isDoubleQuote(reader: Reader): boolean {
  return reader.peek() === '"';
}

/** `$'…'`. */
function readAnsiQuotes(reader: Reader): WordPart {
  const from = reader.at + 2;
  for (let at = from; at < reader.source.length; at++) {
    const character = reader.source[at];
    if (character === '\\') at += 1;
    if (character !== "'") continue;
    reader.at = at + 1;
    return { type: 'SingleQuoted', value: decodeAnsiC(reader.source.slice(from, at)) };
  }
  throw reader.unexpectedEnd("'", reader.at);
}
