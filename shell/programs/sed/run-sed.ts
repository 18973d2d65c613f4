import { shellLimits } from '../../limits.ts';
import { ShellLimitError } from '../../shell-error.ts';
import { encodeText, type ShellText } from '../../text.ts';
import { ProgramError } from '../messages/program-error.ts';
import type { Regex, RegexMatch } from '../patterns/regex.ts';
import type { Output } from '../streams/output.ts';
import type { Steps } from '../streams/steps.ts';
import { expandReplacement } from './parse-replacement.ts';
import type { SedFiles } from './sed-files.ts';
import type { SedInput } from './sed-input.ts';
import type { SedAddress, SedCommand, SedRegex, Substitution } from './sed-script.ts';

interface SedRun {
  readonly commands: readonly SedCommand[];
  readonly input: SedInput;
  readonly out: Output;
  readonly files: SedFiles;
  readonly steps: Steps;
  readonly isQuiet: boolean;
  readonly isUnbuffered: boolean;
  readonly delimiter: '\n' | '\0';
  readonly lineLength: number;
}

type Added = { readonly type: 'text' | 'file' | 'line'; readonly text: ShellText };

/** What one command leads to: the next one, another place, or the end of the cycle or of everything. */
type Step = number | 'next' | 'cycle' | 'restart' | 'quit';

/** Runs a script on input. One of it goes on over several inputs when they are edited one by one. */
export class SedRunner {
  readonly #run: SedRun;
  #pattern: ShellText = '';
  #isEnded = true;
  #hold: ShellText = '';
  #line = 0;
  #hasSubstituted = false;
  #added: Added[] = [];
  #lastRegex: Regex | undefined;
  #isMissingNewline = false;
  #isDeleted = false;
  /** There once the script has quit, which ends the work on all files. */
  exitCode: number | undefined;

  constructor(run: SedRun) {
    this.#run = run;
  }

  /** Answers when all lines are read, or the script has quit. */
  async run(): Promise<void> {
    let isRestarted = false;
    while (isRestarted || (await this.#read())) {
      const step = await this.#cycle();
      isRestarted = step === 'restart';
      if (!isRestarted && step !== 'quit' && !this.#run.isQuiet) this.#print(this.#pattern);
      await this.#flushAdded();
      if (this.#run.out.isFull || this.#run.isUnbuffered) await this.#run.out.flush();
      if (step === 'quit') return;
    }
  }

  /** One pass through the script: `cycle` where the pattern space is printed at its end, unless nothing is. */
  async #cycle(): Promise<'cycle' | 'restart' | 'quit'> {
    const { commands, steps, out } = this.#run;
    this.#hasSubstituted = false;
    for (let at = 0; at < commands.length; ) {
      const command = commands[at];
      if (command === undefined) break;
      if (steps.isDue) await steps.next();
      if (out.isFull) await out.flush();
      const isSelected = (await this.#selects(command)) !== command.isNegated;
      if (!isSelected) {
        at = command.name === '{' ? (command.target ?? at + 1) : at + 1;
        continue;
      }
      const step = await this.#execute(command);
      if (step === 'next') at += 1;
      else if (typeof step === 'number') at = step;
      else if (step === 'cycle') {
        // Deleted: nothing is printed.
        this.#isDeleted = true;
        break;
      } else return step;
    }
    return 'cycle';
  }

  async #read(): Promise<boolean> {
    const line = await this.#run.input.next();
    if (line === undefined) return false;
    this.#pattern = line.text;
    this.#isEnded = line.isEnded;
    this.#line += 1;
    return true;
  }

  #print(text: ShellText): void {
    if (this.#isDeleted) {
      this.#isDeleted = false;
      return;
    }
    this.#write(text, this.#isEnded);
  }

  /** A last line without newline is printed without one; what is printed after it is on a line of its own. */
  #write(text: ShellText, isEnded = true): void {
    const { out, delimiter } = this.#run;
    if (this.#isMissingNewline) out.add(delimiter);
    out.add(isEnded ? text + delimiter : text);
    this.#isMissingNewline = !isEnded;
  }

  #writeRaw(text: ShellText): void {
    if (text === '') return;
    if (this.#isMissingNewline) this.#run.out.add(this.#run.delimiter);
    this.#run.out.add(text);
    this.#isMissingNewline = false;
  }

  /** Adds to what is printed at the end of the cycle. @throws ShellLimitError */
  #append(added: Added): void {
    if (this.#added.length >= shellLimits.arrayElements) {
      throw new ShellLimitError(
        'arrayElements',
        `more than ${shellLimits.arrayElements} texts were appended to a line`,
      );
    }
    this.#added.push(added);
  }

  async #flushAdded(): Promise<void> {
    const added = this.#added;
    this.#added = [];
    for (const { type, text } of added) {
      if (type === 'text') this.#writeRaw(text);
      else if (type === 'file') this.#writeRaw(await this.#run.files.contents(text));
      else this.#write(text);
      if (this.#run.out.isFull) await this.#run.out.flush();
    }
  }

  async #selects({ first, second, range }: SedCommand): Promise<boolean> {
    if (first === undefined) return true;
    if (second === undefined) return this.#matches(first);
    if (range.isActive) {
      if (second.type === 'regex') {
        if (this.#search(second.regex, this.#pattern, 0)) range.isActive = false;
        return true;
      }
      if (second.type === 'last') {
        if (await this.#run.input.isLast()) range.isActive = false;
        return true;
      }
      if (this.#line >= range.end) range.isActive = false;
      return this.#line <= range.end;
    }
    const isZero = first.type === 'line' && first.line === 0;
    if (isZero && this.#line === 1) {
      range.isActive = second.type !== 'regex' || !this.#search(second.regex, this.#pattern, 0);
      return true;
    }
    if (!(await this.#matches(first))) return false;
    range.end = this.#endOf(second);
    range.isActive = second.type === 'regex' || second.type === 'last' || range.end > this.#line;
    if (second.type === 'last' && (await this.#run.input.isLast())) range.isActive = false;
    return true;
  }

  #endOf(second: SedAddress): number {
    switch (second.type) {
      case 'line':
        return second.line;
      case 'count':
        return this.#line + second.lines;
      case 'multiple':
        return second.of === 0 ? this.#line : (Math.floor(this.#line / second.of) + 1) * second.of;
      default:
        return 0;
    }
  }

  async #matches(address: SedAddress): Promise<boolean> {
    switch (address.type) {
      case 'line':
        return this.#line === address.line;
      case 'step':
        return address.step === 0
          ? this.#line === address.first
          : this.#line >= address.first && (this.#line - address.first) % address.step === 0;
      case 'last':
        return this.#run.input.isLast();
      case 'regex':
        return this.#search(address.regex, this.#pattern, 0) !== undefined;
      default:
        return false;
    }
  }

  #search(regex: SedRegex, text: ShellText, from: number): RegexMatch | undefined {
    const used = regex === 'last' ? this.#lastRegex : regex;
    if (used === undefined)
      throw new ProgramError('-e expression #1, char 0: no previous regular expression');
    this.#lastRegex = used;
    return used.exec(text, from);
  }

  async #execute(command: SedCommand): Promise<Step> {
    const { input, files } = this.#run;
    switch (command.name) {
      case '{':
        return 'next';
      case '=':
        this.#writeRaw(`${this.#line}\n`);
        return 'next';
      case 'a':
        this.#append({ type: 'text', text: command.text ?? '' });
        return 'next';
      case 'i':
        this.#writeRaw(command.text ?? '');
        return 'next';
      case 'c': {
        const isRangeGoingOn = command.second !== undefined && command.range.isActive && !command.isNegated;
        if (!isRangeGoingOn) this.#writeRaw(command.text ?? '');
        return 'cycle';
      }
      case 'b':
        return command.target ?? 'next';
      case 't':
      case 'T': {
        const jumps = this.#hasSubstituted === (command.name === 't');
        this.#hasSubstituted = false;
        return jumps ? (command.target ?? 'next') : 'next';
      }
      case 'd':
        return 'cycle';
      case 'D': {
        const newline = this.#pattern.indexOf('\n');
        if (newline < 0) return 'cycle';
        this.#pattern = this.#pattern.slice(newline + 1);
        return 'restart';
      }
      case 'e':
        throw new ProgramError('the e command is not supported');
      case 'F':
        this.#writeRaw(`${input.name}\n`);
        return 'next';
      case 'g':
        this.#pattern = this.#hold;
        return 'next';
      case 'G':
        this.#pattern = bounded(`${this.#pattern}${this.#run.delimiter}${this.#hold}`);
        return 'next';
      case 'h':
        this.#hold = this.#pattern;
        return 'next';
      case 'H':
        this.#hold = bounded(`${this.#hold}${this.#run.delimiter}${this.#pattern}`);
        return 'next';
      case 'x':
        [this.#pattern, this.#hold] = [this.#hold, this.#pattern];
        return 'next';
      case 'l':
        this.#writeRaw(unambiguous(this.#pattern, command.number ?? this.#run.lineLength));
        return 'next';
      case 'n':
      case 'N':
        return this.#readMore(command.name);
      case 'p':
        this.#write(this.#pattern, this.#isEnded);
        return 'next';
      case 'P':
        this.#write(this.#pattern.split('\n', 1)[0] ?? '');
        return 'next';
      case 'q':
      case 'Q':
        this.exitCode = command.number ?? 0;
        if (command.name === 'q' && !this.#run.isQuiet) this.#write(this.#pattern, this.#isEnded);
        if (command.name === 'Q') this.#added = [];
        return 'quit';
      case 'r':
        this.#append({ type: 'file', text: command.file ?? '' });
        return 'next';
      case 'R': {
        const line = await files.line(command.file ?? '');
        if (line !== undefined) this.#append({ type: 'line', text: line });
        return 'next';
      }
      case 's':
        if (command.substitution) await this.#substitute(command.substitution);
        return 'next';
      case 'w':
        await files.write(command.file ?? '', `${this.#pattern}\n`);
        return 'next';
      case 'W':
        await files.write(command.file ?? '', `${this.#pattern.split('\n', 1)[0] ?? ''}\n`);
        return 'next';
      case 'y':
        this.#pattern = transliterated(this.#pattern, command.map ?? new Map());
        return 'next';
      case 'z':
        this.#pattern = '';
        return 'next';
      default:
        return 'next';
    }
  }

  async #readMore(name: 'n' | 'N'): Promise<Step> {
    const { input, isQuiet, out } = this.#run;
    if (await input.isLast()) {
      // GNU's sed prints what it has when there is no next line, and ends without going on.
      if (!isQuiet) this.#write(this.#pattern, this.#isEnded);
      return 'quit';
    }
    if (name === 'n' && !isQuiet) this.#write(this.#pattern, this.#isEnded);
    await this.#flushAdded();
    if (out.isFull) await out.flush();
    const before = this.#pattern;
    await this.#read();
    if (name === 'N')
      this.#pattern = bounded(`${before}${this.#run.delimiter === '\0' ? '\0' : '\n'}${this.#pattern}`);
    return 'next';
  }

  async #substitute(substitution: Substitution): Promise<void> {
    const { regex, replacement, isGlobal, number, prints, evaluates, file } = substitution;
    const { steps } = this.#run;
    const text = this.#pattern;
    let result = '';
    let copied = 0;
    let count = 0;
    let isChanged = false;
    /** Where the last match that was not empty ended: nothing empty is matched there. */
    let lastEnd = -1;
    for (let at = 0; at <= text.length; ) {
      const match = this.#search(regex, text, at);
      if (match === undefined) break;
      const { start, end } = match;
      if (start !== end || start !== lastEnd) {
        count += 1;
        if (count >= number) {
          const replaced = expandReplacement(replacement, [text.slice(start, end), ...match.groups]);
          result = bounded(result + text.slice(copied, start) + replaced);
          copied = end;
          isChanged = true;
          if (!isGlobal) break;
        }
      }
      if (end > start) lastEnd = end;
      at = end > start ? end : start + ((text.codePointAt(start) ?? 0) > 0xffff ? 2 : 1);
      if (steps.isDue) await steps.next();
    }
    if (!isChanged) return;
    this.#pattern = bounded(result + text.slice(copied));
    this.#hasSubstituted = true;
    if (evaluates) throw new ProgramError('the e option is not supported');
    for (let printed = 0; printed < prints; printed++) this.#write(this.#pattern, this.#isEnded);
    if (file !== undefined) await this.#run.files.write(file, `${this.#pattern}\n`);
  }
}

/** Text that is short enough for a space. @throws ShellLimitError */
function bounded(text: ShellText): ShellText {
  if (text.length <= shellLimits.valueLength) return text;
  throw new ShellLimitError(
    'valueLength',
    `the pattern or hold space is longer than ${shellLimits.valueLength} characters`,
  );
}

const escapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

function transliterated(text: ShellText, map: ReadonlyMap<string, string>): ShellText {
  let result = '';
  for (const character of text) result += map.get(character) ?? character;
  return result;
}

/** The pattern space as `l` shows it: escapes, lines of at most so many columns, `$` at the end. */
function unambiguous(text: ShellText, length: number): ShellText {
  let lines = '';
  let row = '';
  const most = length > 1 ? length - 1 : Number.POSITIVE_INFINITY;
  for (const character of text) {
    const isPlain = character >= ' ' && character <= '~' && character !== '\\';
    const shown = isPlain
      ? character
      : (escapes[character] ??
        Array.from(encodeText(character), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join(''));
    if (row.length + shown.length > most) {
      lines += `${row}\\\n`;
      row = '';
    }
    row += shown;
  }
  return `${lines}${row}$\n`;
}
