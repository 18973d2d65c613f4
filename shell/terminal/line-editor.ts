import type { Key } from './keys.ts';
import { textWidth } from './text-width.ts';

/** How reading a line ended. */
export type ReadLine =
  | { readonly type: 'line'; readonly line: string }
  | { readonly type: 'interrupt' }
  | { readonly type: 'end' };

export interface Completion {
  /** Where the word begins that is completed. */
  readonly from: number;
  /** What could stand there, sorted. */
  readonly candidates: readonly string[];
}

export interface LineEditorParts {
  write(text: string): void;
  columns(): number;
  /** Earlier lines, the newest last. */
  history(): readonly string[];
  complete(line: string, cursor: number): Promise<Completion>;
}

/** Most candidates that are listed. */
const listedCandidates = 200;

/** Edits one line at a prompt, as readline does with its usual keys. */
export class LineEditor {
  readonly #parts: LineEditorParts;
  #prompt = '';
  /** By code points, so that no key lands within a character. */
  #characters: string[] = [];
  #cursor = 0;
  /** The row of the cursor below the prompt's first. */
  #row = 0;
  #killed: string[] = [];
  /** How far back in the history it is; 0 is the line that is being written, kept in `#draft`. */
  #back = 0;
  #draft = '';
  #hasCompleted = false;
  #search: { text: string; back: number } | undefined;
  #done: ((read: ReadLine) => void) | undefined;

  constructor(parts: LineEditorParts) {
    this.#parts = parts;
  }

  get isReading(): boolean {
    return this.#done !== undefined;
  }

  /** Shows the prompt and reads a line. One at a time. */
  read(prompt: string): Promise<ReadLine> {
    const { promise, resolve } = Promise.withResolvers<ReadLine>();
    // All lines of a prompt but the last are shown once: only that one is drawn anew.
    const lastLine = prompt.lastIndexOf('\n') + 1;
    if (lastLine > 0) this.#parts.write(prompt.slice(0, lastLine).replaceAll('\n', '\r\n'));
    this.#prompt = prompt.slice(lastLine);
    this.#characters = [];
    this.#cursor = this.#row = this.#back = 0;
    this.#search = undefined;
    this.#done = resolve;
    this.#draw({ isFirst: true });
    return promise;
  }

  /** Draws it anew: the terminal's size is another. */
  redraw(): void {
    if (this.isReading) this.#draw();
  }

  async press(key: Key): Promise<void> {
    if (!this.isReading) return;
    if (this.#search && this.#pressInSearch(key)) return;
    const completedBefore = this.#hasCompleted;
    this.#hasCompleted = false;
    switch (key.type) {
      case 'text':
        return this.#insert([...key.text]);
      case 'enter':
        this.#leave();
        return this.#end({ type: 'line', line: this.#line }, '\r\n');
      case 'interrupt':
        return this.#end({ type: 'interrupt' }, '^C\r\n');
      case 'end-of-input':
        if (this.#characters.length === 0) return this.#end({ type: 'end' }, '\r\n');
        return this.#remove(this.#cursor, this.#cursor + 1);
      case 'backspace':
        return this.#remove(this.#cursor - 1, this.#cursor);
      case 'delete':
        return this.#remove(this.#cursor, this.#cursor + 1);
      case 'left':
        return this.#move(this.#cursor - 1);
      case 'right':
        return this.#move(this.#cursor + 1);
      case 'word-left':
        return this.#move(this.#wordStart(/\w/));
      case 'word-right':
        return this.#move(this.#wordEnd());
      case 'home':
        return this.#move(0);
      case 'end':
        return this.#move(this.#characters.length);
      case 'up':
        return this.#goBack(this.#back + 1);
      case 'down':
        return this.#goBack(this.#back - 1);
      case 'kill-to-end':
        return this.#kill(this.#cursor, this.#characters.length);
      case 'kill-to-start':
        return this.#kill(0, this.#cursor);
      case 'kill-word':
        return this.#kill(this.#wordStart(/\S/), this.#cursor);
      case 'kill-word-right':
        return this.#kill(this.#cursor, this.#wordEnd());
      case 'yank':
        return this.#insert(this.#killed);
      case 'transpose':
        return this.#transpose();
      case 'clear-screen':
        this.#parts.write('\x1b[H\x1b[2J');
        this.#row = 0;
        return this.#draw();
      case 'search':
        this.#search = { text: '', back: 0 };
        return this.#draw();
      case 'complete':
        return this.#complete(completedBefore);
    }
  }

  get #line(): string {
    return this.#characters.join('');
  }

  #insert(characters: readonly string[]): void {
    const isAtEnd = this.#cursor === this.#characters.length;
    this.#characters.splice(this.#cursor, 0, ...characters);
    this.#cursor += characters.length;
    if (isAtEnd && !this.#search && this.#isOneRow()) this.#parts.write(characters.join(''));
    else this.#draw();
  }

  /** Whether prompt and line end before the right edge. */
  #isOneRow(): boolean {
    return textWidth(this.#prompt) + textWidth(this.#line) < this.#parts.columns();
  }

  #remove(from: number, to: number): void {
    const [start, end] = [Math.max(from, 0), Math.min(to, this.#characters.length)];
    if (start >= end) return;
    this.#characters.splice(start, end - start);
    this.#cursor = start;
    this.#draw();
  }

  #kill(from: number, to: number): void {
    this.#killed = this.#characters.slice(from, to);
    this.#remove(from, to);
  }

  #move(to: number): void {
    this.#cursor = Math.min(Math.max(to, 0), this.#characters.length);
    this.#draw();
  }

  #transpose(): void {
    const at = Math.min(this.#cursor, this.#characters.length - 1);
    const [before, after] = this.#characters.slice(at - 1, at + 1);
    if (at < 1 || before === undefined || after === undefined) return;
    this.#characters.splice(at - 1, 2, after, before);
    this.#move(at + 1);
  }

  #wordStart(within: RegExp): number {
    let at = this.#cursor;
    while (at > 0 && !within.test(this.#characters[at - 1] ?? '')) at--;
    while (at > 0 && within.test(this.#characters[at - 1] ?? '')) at--;
    return at;
  }

  #wordEnd(): number {
    let at = this.#cursor;
    while (at < this.#characters.length && !/\w/.test(this.#characters[at] ?? '')) at++;
    while (at < this.#characters.length && /\w/.test(this.#characters[at] ?? '')) at++;
    return at;
  }

  #goBack(back: number): void {
    const history = this.#parts.history();
    if (back < 0 || back > history.length) return;
    if (this.#back === 0) this.#draft = this.#line;
    this.#back = back;
    this.#put(back === 0 ? this.#draft : (history.at(-back) ?? ''));
  }

  #put(line: string): void {
    this.#characters = [...line];
    this.#cursor = this.#characters.length;
    this.#draw();
  }

  /** Whether the key was the search's: others take what was found and go on with it. */
  #pressInSearch(key: Key): boolean {
    const search = this.#search;
    if (!search) return false;
    if (key.type === 'text') search.text += key.text;
    else if (key.type === 'backspace') search.text = [...search.text].slice(0, -1).join('');
    else if (key.type !== 'search') {
      this.#search = undefined;
      if (key.type !== 'interrupt') return false;
      this.#put('');
      return true;
    }
    const history = this.#parts.history();
    const first = key.type === 'search' ? search.back + 1 : 1;
    for (let back = first; back <= history.length; back++) {
      const line = history.at(-back) ?? '';
      if (search.text === '' || !line.includes(search.text)) continue;
      search.back = back;
      this.#put(line);
      return true;
    }
    this.#draw();
    return true;
  }

  async #complete(again: boolean): Promise<void> {
    const before = this.#line;
    const start = this.#characters.slice(0, this.#cursor).join('');
    const { from, candidates } = await this.#parts.complete(before, start.length);
    if (!this.isReading || this.#line !== before) return;
    const typed = start.slice(from);
    const common = commonPrefix(candidates);
    if (common.length > typed.length) {
      const only = candidates.length === 1 && !common.endsWith('/') ? ' ' : '';
      const head = [...(start.slice(0, from) + common + only)];
      this.#characters = [...head, ...this.#characters.slice(this.#cursor)];
      this.#cursor = head.length;
      return this.#draw();
    }
    this.#hasCompleted = candidates.length > 1;
    if (!again || candidates.length < 2) return;
    this.#leave();
    this.#parts.write(`\r\n${listInColumns(candidates, this.#parts.columns())}`);
    this.#row = 0;
    this.#draw();
  }

  /** Puts the terminal's cursor at the end of what is drawn. */
  #leave(): void {
    if (this.#cursor === this.#characters.length && !this.#search) return;
    const cursor = this.#cursor;
    this.#move(this.#characters.length);
    this.#cursor = cursor;
  }

  #end(read: ReadLine, shown: string): void {
    if (read.type !== 'line') this.#leave();
    this.#parts.write(shown);
    const done = this.#done;
    this.#done = undefined;
    done?.(read);
  }

  /** Draws prompt and line from the prompt's first row, and puts the cursor where it belongs. */
  #draw({ isFirst = false } = {}): void {
    const columns = Math.max(this.#parts.columns(), 1);
    const prompt = this.#search ? `(reverse-i-search)\`${this.#search.text}': ` : this.#prompt;
    const before = textWidth(prompt) + textWidth(this.#characters.slice(0, this.#cursor).join(''));
    const all = textWidth(prompt) + textWidth(this.#line);
    const [row, endRow] = [Math.floor(before / columns), Math.floor(all / columns)];
    const up = this.#row > 0 ? `\x1b[${this.#row}A` : '';
    // At the right edge the terminal waits with the next row until something is to be shown there.
    const edge = all > 0 && all % columns === 0 ? '\r\n' : '';
    const back = endRow > row ? `\x1b[${endRow - row}A` : '';
    const right = before % columns > 0 ? `\x1b[${before % columns}C` : '';
    const placed = before === all ? '' : `${back}\r${right}`;
    const shown = prompt.replaceAll('\x01', '').replaceAll('\x02', '');
    this.#parts.write(`${isFirst ? '' : `${up}\r\x1b[J`}${shown}${this.#line}${edge}${placed}`);
    this.#row = row;
  }
}

function commonPrefix(texts: readonly string[]): string {
  const [first = '', ...others] = texts;
  let length = first.length;
  for (const other of others) {
    while (!other.startsWith(first.slice(0, length))) length--;
  }
  return first.slice(0, length);
}

function listInColumns(candidates: readonly string[], columns: number): string {
  // Of a path, the last name.
  const names = candidates.slice(0, listedCandidates).map((text) => text.replace(/^.*\/(?=.)/, ''));
  const width = Math.max(...names.map(textWidth)) + 2;
  const perRow = Math.max(Math.floor(columns / width), 1);
  const rows: string[] = [];
  for (let at = 0; at < names.length; at += perRow) {
    const row = names.slice(at, at + perRow).map((name) => name + ' '.repeat(width - textWidth(name)));
    rows.push(`${row.join('').trimEnd()}\r\n`);
  }
  const more = candidates.length - names.length;
  return rows.join('') + (more > 0 ? `… and ${more} more\r\n` : '');
}
