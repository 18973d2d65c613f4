import type { ShellText } from '../../text.ts';
import { Regex } from '../patterns/regex.ts';
import { RegexProblem } from '../patterns/regex-node.ts';
import { parseReplacement } from './parse-replacement.ts';
import { expandNumbered, numberedCharacter, readDelimited } from './read-delimited.ts';
import { type ScriptPiece, ScriptReader } from './script-reader.ts';
import type { SedAddress, SedCommand, SedRegex, Substitution } from './sed-script.ts';

interface SedSyntax {
  readonly isExtended: boolean;
  readonly isSandboxed: boolean;
}

/** Reads a script. @throws ProgramError */
export function parseSed(pieces: readonly ScriptPiece[], syntax: SedSyntax): SedCommand[] {
  return new SedParser(pieces, syntax).parse();
}

class SedParser {
  readonly #reader: ScriptReader;
  readonly #syntax: SedSyntax;
  readonly #commands: SedCommand[] = [];
  readonly #labels: Map<ShellText, number> = new Map();
  readonly #blocks: { index: number; at: number }[] = [];

  constructor(pieces: readonly ScriptPiece[], syntax: SedSyntax) {
    this.#reader = new ScriptReader(pieces);
    this.#syntax = syntax;
  }

  parse(): SedCommand[] {
    const reader: ScriptReader = this.#reader;
    for (;;) {
      while (/[\s;]/.test(reader.peek())) reader.at += 1;
      if (reader.isAtEnd) break;
      this.#command();
    }
    if (this.#blocks.length > 0) reader.fail("unmatched `{'", 'whole');
    for (const command of this.#commands) {
      if (command.label === undefined || command.name === ':') continue;
      const target = command.label === '' ? this.#commands.length : this.#labels.get(command.label);
      if (target === undefined) throw new UnknownLabel(command.label);
      command.target = target;
    }
    return this.#commands;
  }

  #command(): void {
    const reader: ScriptReader = this.#reader;
    const first = this.#address(false);
    let second: SedAddress | undefined;
    if (first) {
      reader.skipBlanks();
      if (reader.peek() === ',') {
        reader.at += 1;
        reader.skipBlanks();
        second = this.#address(true);
        if (!second) reader.fail("unexpected `,'", Math.min(reader.at + 1, reader.text.length));
      }
    }
    const isZero = first?.type === 'line' && first.line === 0;
    if (isZero && second?.type !== 'regex') reader.fail('invalid usage of line address 0');
    reader.skipBlanks();
    let isNegated = false;
    while (reader.peek() === '!') {
      reader.at += 1;
      isNegated = true;
      reader.skipBlanks();
      if (reader.peek() === '!') reader.fail("multiple `!'s");
    }
    if (reader.isAtEnd) reader.fail('missing command');
    const name = reader.next();
    const base = { name, first, second, isNegated, range: { isActive: false, end: 0 } };
    if ('}:#'.includes(name) && first) {
      const why = {
        '}': "unexpected `}'",
        ':': ": doesn't want any addresses",
        '#': "comments don't accept any addresses",
      }[name];
      if (name !== '}') reader.fail(why ?? '');
    }
    if ('=aiqQr'.includes(name) && second && 'qQ'.includes(name))
      reader.fail('command only uses one address');
    this.#read(name, base);
  }

  #read(name: string, base: Omit<SedCommand, 'text'>): void {
    const reader: ScriptReader = this.#reader;
    const add = (more: Partial<SedCommand> = {}) => this.#commands.push({ ...base, ...more });
    switch (name) {
      case '#':
        reader.restOfLine();
        break;
      case '{':
        this.#blocks.push({ index: this.#commands.length, at: reader.at });
        add();
        break;
      case '}': {
        const block = this.#blocks.pop();
        if (block === undefined) reader.fail("unexpected `}'");
        const open = this.#commands[block.index];
        if (open) open.target = this.#commands.length;
        this.#end();
        break;
      }
      case ':': {
        reader.skipBlanks();
        const [label = ''] = /^[^\s;]*/.exec(reader.text.slice(reader.at)) ?? [];
        if (label === '') reader.fail('":" lacks a label');
        reader.at += label.length;
        this.#labels.set(label, this.#commands.length);
        break;
      }
      case 'a':
      case 'i':
      case 'c':
        add({ text: this.#text() });
        break;
      case 'b':
      case 't':
      case 'T': {
        reader.skipBlanks();
        const [label = ''] = /^[^\n;}]*/.exec(reader.text.slice(reader.at)) ?? [];
        reader.at += label.length;
        add({ label: label.trimEnd() });
        this.#end();
        break;
      }
      case 'r':
      case 'R':
      case 'w':
      case 'W':
        add({ file: this.#fileName() });
        break;
      case 'e':
        reader.skipBlanks();
        add({ text: reader.restOfLine() });
        break;
      case 'q':
      case 'Q':
      case 'l':
      case 'L':
        reader.skipBlanks();
        add({ number: reader.number() });
        this.#end();
        break;
      case 's':
        add({ substitution: this.#substitution() });
        break;
      case 'y':
        add({ map: this.#transliteration() });
        this.#end();
        break;
      default:
        if (!'=dDFgGhHnNpPxz'.includes(name)) reader.fail(`unknown command: \`${name}'`);
        add();
        this.#end();
    }
  }

  /** What may follow a command. */
  #end(): void {
    const reader: ScriptReader = this.#reader;
    reader.skipBlanks();
    const next = reader.peek();
    if (next === '' || next === '}' || next === '#') return;
    if (next !== '\n' && next !== ';') {
      reader.at += 1;
      reader.fail('extra characters after command');
    }
    reader.at += 1;
  }

  #address(isSecond: boolean): SedAddress | undefined {
    const reader: ScriptReader = this.#reader;
    const character = reader.peek();
    if (character === '$') {
      reader.at += 1;
      return { type: 'last' };
    }
    if (isSecond && (character === '+' || character === '~')) {
      reader.at += 1;
      const number = reader.number();
      if (number === undefined) reader.fail('expected number', reader.at);
      return character === '+' ? { type: 'count', lines: number } : { type: 'multiple', of: number };
    }
    if (character === '/' || character === '\\') {
      reader.at += 1;
      const delimiter = character === '/' ? '/' : reader.next();
      const pattern = readDelimited(reader, delimiter, { isRegex: true });
      if (pattern === undefined) {
        reader.at = Math.min(reader.at, reader.text.length);
        reader.fail('unterminated address regex');
      }
      let flags = '';
      while (/[IM]/.test(reader.peek())) flags += reader.next();
      return { type: 'regex', regex: this.#regex(pattern, flags) };
    }
    const line = reader.number();
    if (line === undefined) return undefined;
    if (isSecond || reader.peek() !== '~') return { type: 'line', line };
    reader.at += 1;
    return { type: 'step', first: line, step: reader.number() ?? 0 };
  }

  #regex(pattern: ShellText, flags: string): SedRegex {
    if (pattern === '') return 'last';
    try {
      return new Regex(expandNumbered(pattern), {
        syntax: this.#syntax.isExtended ? 'extended' : 'basic',
        bracketEscapes: 'sed',
        hasControlEscapes: true,
        ignoresCase: /[iI]/.test(flags),
        isMultiline: /[mM]/.test(flags),
      });
    } catch (error) {
      if (!(error instanceof RegexProblem)) throw error;
      return this.#reader.fail(error.message);
    }
  }

  /** Text of `a`, `i` and `c`: on the line, or on the following lines after a backslash. */
  #text(): ShellText {
    const reader: ScriptReader = this.#reader;
    reader.skipBlanks();
    if (reader.isAtEnd) reader.fail("expected \\ after `a', `c' or `i'");
    if (reader.peek() === '\\') {
      reader.at += 1;
      const afterBackslash = reader.at;
      reader.skipBlanks();
      if (reader.peek() === '\n') reader.at += 1;
      else reader.at = afterBackslash;
      if (reader.isAtEnd) return '';
    }
    let text = '';
    while (!reader.isAtEnd) {
      const character = reader.next();
      if (character === '\n') break;
      if (character !== '\\') {
        text += character;
        continue;
      }
      const rest = reader.text.slice(reader.at, reader.at + 5);
      const found = numberedCharacter(rest);
      if (found && !/^c/.test(rest)) {
        text += found.text;
        reader.at += found.length;
      } else text += reader.next();
    }
    return `${text}\n`;
  }

  #fileName(): ShellText {
    const reader: ScriptReader = this.#reader;
    reader.skipBlanks();
    const name = reader.restOfLine();
    if (name === '') reader.fail('missing filename in r/R/w/W commands');
    if (this.#syntax.isSandboxed) reader.fail('e/r/w commands disabled in sandbox mode');
    return name;
  }

  #substitution(): Substitution {
    const reader: ScriptReader = this.#reader;
    const delimiter = reader.next();
    const unterminated = "unterminated `s' command";
    if (delimiter === '' || delimiter === '\n' || delimiter === '\\')
      reader.fail(unterminated, reader.text.length);
    const pattern = readDelimited(reader, delimiter, { isRegex: true });
    const replacement =
      pattern === undefined ? undefined : readDelimited(reader, delimiter, { isRegex: false });
    if (pattern === undefined || replacement === undefined) reader.fail(unterminated, reader.text.length);
    const flags = this.#substitutionFlags();
    const regex = this.#regex(pattern, flags.letters);
    const parts = parseReplacement(replacement);
    const groups = regex === 'last' ? 9 : regex.groups;
    const excess = parts.find((part) => part.type === 'group' && part.index > groups);
    if (excess?.type === 'group') reader.fail(`invalid reference \\${excess.index} on \`s' command's RHS`);
    return {
      regex,
      replacement: parts,
      isGlobal: flags.letters.includes('g'),
      number: flags.number,
      prints: [...flags.letters].filter((letter) => letter === 'p').length,
      evaluates: flags.letters.includes('e'),
      file: flags.file,
    };
  }

  #substitutionFlags(): { letters: string; number: number; file: ShellText | undefined } {
    const reader: ScriptReader = this.#reader;
    let letters = '';
    let number = 1;
    for (;;) {
      const next = reader.peek();
      if (/[gpiImMe]/.test(next)) {
        if ((next === 'g' || next === 'p') && letters.includes(next)) {
          reader.at += 1;
          reader.fail(`multiple \`${next}' options to \`s' command`);
        }
        letters += reader.next();
      } else if (/\d/.test(next)) {
        number = reader.number() ?? 1;
        if (number === 0) reader.fail("number option to `s' command may not be zero");
      } else if (next === 'w') {
        reader.at += 1;
        return { letters, number, file: this.#fileName() };
      } else break;
    }
    reader.skipBlanks();
    const next = reader.peek();
    if (next === '\n' || next === ';') reader.at += 1;
    else if (next !== '' && next !== '}' && next !== '#') {
      reader.at += 1;
      reader.fail("unknown option to `s'");
    }
    return { letters, number, file: undefined };
  }

  #transliteration(): ReadonlyMap<string, string> {
    const reader: ScriptReader = this.#reader;
    const delimiter = reader.next();
    const from = readDelimited(reader, delimiter, { isRegex: false });
    const to = from === undefined ? undefined : readDelimited(reader, delimiter, { isRegex: false });
    if (from === undefined || to === undefined) reader.fail("unterminated `y' command", reader.text.length);
    const characters = (text: ShellText) =>
      [...text.matchAll(/\\([\s\S])|[\s\S]/gu)].map(([whole, escaped]) => {
        if (escaped === undefined) return whole;
        return escaped === '\\' ? '\\' : (numberedCharacter(escaped)?.text ?? whole);
      });
    const [sources, targets] = [characters(from), characters(to)];
    if (sources.length !== targets.length) reader.fail("strings for `y' command are different lengths");
    return new Map(sources.map((source, index) => [source, targets[index] ?? source]));
  }
}

/** A jump leads nowhere. */
export class UnknownLabel extends Error {
  readonly label: ShellText;

  constructor(label: ShellText) {
    super(`can't find label for jump to \`${label}'`);
    this.label = label;
  }
}
