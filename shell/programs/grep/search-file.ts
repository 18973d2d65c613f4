import type { OpenFile } from '../../io/open-file.ts';
import { encodeText, type ShellText } from '../../text.ts';
import type { ProgramCall } from '../program.ts';
import type { Output } from '../streams/output.ts';
import { Steps } from '../streams/steps.ts';
import { textLines } from '../streams/text-lines.ts';
import type { LineMatcher } from './line-matcher.ts';

export interface SearchStyle {
  readonly isInverted: boolean;
  /** Selected lines after which the search of a file ends. */
  readonly most: number;
  readonly listing: 'names' | 'without' | 'count' | undefined;
  readonly isQuiet: boolean;
  readonly showsOnlyMatches: boolean;
  readonly showsName: boolean;
  readonly showsNumber: boolean;
  readonly showsOffset: boolean;
  readonly before: number;
  readonly after: number;
  readonly separator: ShellText | undefined;
  readonly delimiter: '\n' | '\0';
  /** What stands after a name instead of a colon. */
  readonly nameEnd: '\0' | undefined;
  readonly hasTab: boolean;
  readonly isColored: boolean;
  readonly isBuffered: boolean;
  readonly binary: 'binary' | 'text' | 'without-match';
}

interface Search {
  readonly matcher: LineMatcher;
  readonly style: SearchStyle;
  readonly out: Output;
  readonly label: ShellText;
  readonly call: ProgramCall;
  warn(message: ShellText): Promise<void>;
}

interface Line {
  readonly text: ShellText;
  readonly number: number;
  readonly offset: number;
}

/** Searches a file, and prints what is selected. Whether a line was selected. */
export async function searchFile(file: OpenFile, search: Search): Promise<boolean> {
  return new FileSearch(search).run(file);
}

const escapedByte = /[\udc80-\udcff]/u;

class FileSearch {
  readonly #search: Search;
  readonly #steps: Steps;
  /** Lines before that may be printed as context. */
  #before: Line[] = [];
  #afterLeft = 0;
  #selected = 0;
  #lastPrinted = 0;
  #isBinary = false;
  /** It matched, and is not printed. */
  #binaryMatch = false;

  constructor(search: Search) {
    this.#search = search;
    this.#steps = new Steps(search.call.signal);
  }

  async run(file: OpenFile): Promise<boolean> {
    const { style, out, call, label } = this.#search;
    const isShort = style.isQuiet || style.listing === 'names' || style.listing === 'without';
    let number = 0;
    let offset = 0;
    let isEnd = style.most === 0;
    for await (const batch of textLines(file, call.signal, style.delimiter)) {
      if (isEnd) break;
      if (batch.hasZero && style.binary !== 'text' && !this.#isBinary) {
        if (style.binary === 'without-match') return false;
        this.#isBinary = true;
      }
      for (const [index, text] of batch.lines.entries()) {
        if (this.#steps.isDue) await this.#steps.next();
        number += 1;
        const isSelected = this.#search.matcher.test(text) !== style.isInverted;
        if (isSelected) {
          this.#selected += 1;
          if (isShort) {
            isEnd = true;
            break;
          }
        }
        const line = { text, number, offset };
        if (style.showsOffset) offset += encodeText(text).length + 1;
        if (style.listing !== 'count' && !(await this.#line(line, isSelected))) {
          isEnd = true;
          break;
        }
        if (this.#selected >= style.most && (this.#afterLeft === 0 || style.listing === 'count')) {
          this.#unreadAfter(file, batch, index);
          isEnd = true;
          break;
        }
      }
      if (out.isFull || !style.isBuffered) await out.flush();
      if (isEnd) break;
    }
    this.#printListing(label);
    if (this.#binaryMatch && !style.isQuiet) await this.#search.warn(`${label}: binary file matches`);
    if (!style.isQuiet && call.stdout.type !== 'file') await out.flush();
    return this.#selected > 0;
  }

  /** What shares the file goes on after the last line that was selected. */
  #unreadAfter(
    file: OpenFile,
    { lines, isEnded }: { lines: readonly ShellText[]; isEnded: boolean },
    index: number,
  ): void {
    if (file.type !== 'file' || index + 1 >= lines.length) return;
    const { delimiter } = this.#search.style;
    file.unread(encodeText(`${lines.slice(index + 1).join(delimiter)}${isEnded ? delimiter : ''}`));
  }

  #printListing(label: ShellText): void {
    const { style, out } = this.#search;
    if (style.isQuiet) return;
    const isNamed =
      style.listing === 'names' ? this.#selected > 0 : style.listing === 'without' && this.#selected === 0;
    if (isNamed) out.add(`${this.#colored(label, '35')}${style.nameEnd ?? '\n'}`);
    if (style.listing === 'count') {
      out.add(
        `${style.showsName ? `${this.#colored(label, '35')}${style.nameEnd ?? this.#colored(':', '36')}` : ''}${this.#selected}\n`,
      );
    }
  }

  /** Prints a line if it is selected or context. Whether the search goes on. */
  async #line(line: Line, isSelected: boolean): Promise<boolean> {
    const { style, out } = this.#search;
    const isMatchOnly = style.showsOnlyMatches;
    if (isSelected) {
      if (this.#isBinary || (style.binary === 'binary' && escapedByte.test(line.text))) {
        this.#binaryMatch = true;
        return false;
      }
      const first = this.#before[0]?.number ?? line.number;
      const hasContext = style.before > 0 || style.after > 0;
      const isApart = this.#lastPrinted > 0 && first > this.#lastPrinted + 1;
      if (hasContext && isApart && style.separator !== undefined && !isMatchOnly) {
        out.add(`${this.#colored(style.separator, '36')}\n`);
      }
      if (!isMatchOnly) for (const before of this.#before) await this.#print(before, '-');
      this.#before = [];
      await this.#print(line, ':');
      this.#afterLeft = this.#selected < style.most || style.after > 0 ? style.after : 0;
      return true;
    }
    if (this.#afterLeft > 0) {
      this.#afterLeft -= 1;
      if (!isMatchOnly) await this.#print(line, '-');
    } else if (style.before > 0) {
      this.#before.push(line);
      if (this.#before.length > style.before) this.#before.shift();
    }
    return true;
  }

  async #print(line: Line, mark: ':' | '-'): Promise<void> {
    const { style, out, matcher } = this.#search;
    this.#lastPrinted = line.number;
    if (style.showsOnlyMatches) {
      if (style.isInverted) return;
      for await (const { start, end } of this.#matches(line.text)) {
        const shift = style.showsOffset ? encodeText(line.text.slice(0, start)).length : 0;
        const prefix = this.#prefix({ ...line, offset: line.offset + shift }, mark);
        out.add(`${prefix}${this.#colored(line.text.slice(start, end), '01;31')}${style.delimiter}`);
        if (out.isFull) await out.flush();
      }
      return;
    }
    const isHighlighted = style.isColored && (mark === ':') !== style.isInverted && matcher.test(line.text);
    const shown = isHighlighted ? await this.#highlighted(line.text) : line.text;
    out.add(`${this.#prefix(line, mark)}${shown}${style.delimiter}`);
    if (out.isFull) await out.flush();
  }

  async *#matches(text: ShellText): AsyncGenerator<{ start: number; end: number }> {
    for (let at = 0; at <= text.length; ) {
      if (this.#steps.isDue) await this.#steps.next();
      const found = this.#search.matcher.find(text, at);
      if (!found) return;
      if (found.end > found.start) yield found;
      at = found.end > found.start ? found.end : found.end + 1;
    }
  }

  async #highlighted(text: ShellText): Promise<ShellText> {
    let shown = '';
    let at = 0;
    for await (const { start, end } of this.#matches(text)) {
      shown += `${text.slice(at, start)}${this.#colored(text.slice(start, end), '01;31')}`;
      at = end;
    }
    return shown + text.slice(at);
  }

  #prefix({ number, offset }: Line, mark: ':' | '-'): ShellText {
    const { style, label } = this.#search;
    const separator = this.#colored(mark, '36');
    let prefix = '';
    if (style.showsName) prefix += `${this.#colored(label, '35')}${style.nameEnd ?? separator}`;
    const width = style.hasTab ? 4 : 0;
    if (style.showsNumber) prefix += `${this.#colored(String(number).padStart(width), '32')}${separator}`;
    if (style.showsOffset) prefix += `${this.#colored(String(offset).padStart(width), '32')}${separator}`;
    return style.hasTab && prefix !== ''
      ? `${prefix.slice(0, -1)}\t${mark}`.replace(/\t(.)$/, '$1\t')
      : prefix;
  }

  #colored(text: ShellText, color: string): ShellText {
    return this.#search.style.isColored ? `\x1b[${color}m\x1b[K${text}\x1b[m\x1b[K` : text;
  }
}
