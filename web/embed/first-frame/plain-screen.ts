import { embedLimits } from '../limits.ts';
import { applyRendition, type CellStyle, noStyle } from './cell-style.ts';

export interface Cell {
  /** Empty right of a wide character. */
  text: string;
  style: CellStyle;
}

/** What the output of a terminal is made of (ECMA-48). */
const parts = {
  control: String.raw`\x1b\[(?<prefix>[?>=!]?)(?<parameters>[\d;:]*)[ -/]*(?<final>[@-~])`,
  // OSC, DCS and their like, which tell a terminal what is not shown.
  string: String.raw`\x1b[\]PX^_](?:[^\x07\x1b]|\x1b(?!\\))*(?:\x07|\x1b\\|$)`,
  escape: String.raw`\x1b[ -/]*[0-~]`,
  cut: String.raw`\x1b.{0,40}$`,
  single: String.raw`[\x00-\x1f\x7f]`,
  text: String.raw`[^\x00-\x1f\x7f]+`,
};
const tokens = new RegExp(Object.values(parts).join('|'), 'gsu');

const wide =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60])/u;
const joined = /^(?:\p{Mn}|\p{Me}|\u200d|\ufe0f)/u;

/**
 * Enough of a terminal for a picture of what one shows: text, colours, the cursor, erasing and scrolling. The player has a whole one;
 * this is what stands there before anything of it is loaded. What comes is hostile: sizes and counts are bounded, and nothing of it is but text.
 */
export class PlainScreen {
  readonly columns: number;
  readonly rows: number;
  readonly lines: Cell[][] = [];
  #row = 0;
  #column = 0;
  #style = noStyle;
  #saved = { row: 0, column: 0 };

  constructor(columns: number, rows: number) {
    this.columns = Math.min(Math.max(1, columns), 500);
    this.rows = Math.min(Math.max(1, rows), Math.floor(embedLimits.firstFrameCells / this.columns));
    for (let row = 0; row < this.rows; row++) this.lines.push(this.#blank());
  }

  write(text: string): void {
    for (const { 0: token, groups: { prefix = '', parameters = '', final } = {} } of text.matchAll(tokens)) {
      if (final !== undefined) this.#control(final, parameters.split(/[;:]/).map(Number), prefix);
      else if (token.startsWith('\x1b')) this.#escape(token);
      else if (token < ' ' || token === '\x7f') this.#single(token);
      else for (const character of token) this.#print(character);
    }
  }

  #print(character: string): void {
    const before = this.lines[this.#row]?.[Math.max(0, this.#column - 1)];
    if (joined.test(character)) {
      if (before && before.text.length < 16) before.text += character;
      return;
    }
    const width = wide.test(character) ? 2 : 1;
    if (this.#column + width > this.columns) {
      this.#column = 0;
      this.#feed();
    }
    const line = this.lines[this.#row];
    if (line) {
      line[this.#column] = { text: character, style: this.#style };
      if (width === 2) line[this.#column + 1] = { text: '', style: this.#style };
    }
    this.#column += width;
  }

  #single(character: string): void {
    if (character === '\r') this.#column = 0;
    else if (character === '\n' || character === '\v' || character === '\f') this.#feed();
    else if (character === '\b') this.#column = Math.max(0, this.#column - 1);
    else if (character === '\t')
      this.#column = Math.min(this.columns - 1, (Math.floor(this.#column / 8) + 1) * 8);
  }

  #escape(token: string): void {
    if (token === '\x1bc') {
      this.#style = noStyle;
      this.#move(0, 0);
      this.#erase(0, this.rows);
    } else if (token === '\x1b7') this.#saved = { row: this.#row, column: this.#column };
    else if (token === '\x1b8') this.#move(this.#saved.row, this.#saved.column);
    else if (token === '\x1bM' && this.#row > 0) this.#row--;
  }

  #control(final: string, parameters: readonly number[], prefix: string): void {
    const [first = 0, second = 0] = parameters;
    if (prefix !== '') {
      // Another screen, such as an editor's.
      if ('hl'.includes(final) && [47, 1047, 1049].includes(first)) this.#escape('\x1bc');
      return;
    }
    const count = Math.max(1, first || 0);
    const target = this.#target(final, count, second);
    if (target) this.#move(...target);
    else if (final === 'm') this.#style = applyRendition(this.#style, parameters);
    else if (final === 's') this.#escape('\x1b7');
    else if (final === 'u') this.#escape('\x1b8');
    else this.#edit(final, first || 0, count);
  }

  /** Where a sequence moves the cursor. */
  #target(final: string, count: number, second: number): [row: number, column: number] | undefined {
    const [row, column] = [this.#row, this.#column];
    switch (final) {
      case 'A':
        return [row - count, column];
      case 'B':
      case 'e':
        return [row + count, column];
      case 'C':
      case 'a':
        return [row, column + count];
      case 'D':
        return [row, column - count];
      case 'E':
        return [row + count, 0];
      case 'F':
        return [row - count, 0];
      case 'G':
      case '`':
        return [row, count - 1];
      case 'd':
        return [count - 1, column];
      case 'H':
      case 'f':
        return [count - 1, Math.max(1, second || 0) - 1];
      default:
        return undefined;
    }
  }

  #edit(final: string, first: number, count: number): void {
    const line = this.lines[this.#row];
    switch (final) {
      case 'J':
        if (first === 0) this.#clear(line, this.#column, this.columns);
        if (first === 1) this.#clear(line, 0, this.#column + 1);
        this.#erase(first === 0 ? this.#row + 1 : 0, first === 1 ? this.#row : this.rows);
        break;
      case 'K':
        this.#clear(line, first === 0 ? this.#column : 0, first === 1 ? this.#column + 1 : this.columns);
        break;
      case 'X':
        this.#clear(line, this.#column, this.#column + count);
        break;
      case 'P':
        line?.splice(this.#column, Math.min(count, this.columns));
        this.#fill(line);
        break;
      case '@':
        line?.splice(this.#column, 0, ...this.#blank().slice(0, count));
        this.#fill(line);
        break;
      case 'L':
      case 'M':
        this.#shift(final, Math.min(count, this.rows));
        break;
    }
  }

  #feed(): void {
    if (this.#row + 1 < this.rows) {
      this.#row++;
      return;
    }
    this.lines.shift();
    this.lines.push(this.#blank());
  }

  #shift(final: string, count: number): void {
    for (let done = 0; done < count; done++) {
      if (final === 'L') {
        this.lines.splice(this.#row, 0, this.#blank());
        this.lines.pop();
      } else {
        this.lines.splice(this.#row, 1);
        this.lines.push(this.#blank());
      }
    }
  }

  #move(row: number, column: number): void {
    this.#row = Math.min(Math.max(0, row), this.rows - 1);
    this.#column = Math.min(Math.max(0, column), this.columns - 1);
  }

  #erase(from: number, to: number): void {
    for (let row = from; row < to; row++) this.lines[row] = this.#blank();
  }

  #clear(line: Cell[] | undefined, from: number, to: number): void {
    for (let column = from; line && column < Math.min(to, this.columns); column++)
      line[column] = { text: ' ', style: this.#style };
  }

  #fill(line: Cell[] | undefined): void {
    if (!line) return;
    line.length = Math.min(line.length, this.columns);
    while (line.length < this.columns) line.push({ text: ' ', style: noStyle });
  }

  #blank(): Cell[] {
    return Array.from({ length: this.columns }, () => ({ text: ' ', style: noStyle }));
  }
}
