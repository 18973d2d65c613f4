import type { OpenFile } from '../io/open-file.ts';
import { ShellError } from '../shell-error.ts';

export interface TerminalParts {
  /** Its number among those of the sandbox. */
  readonly number: number;
  /** Shows bytes; what is written waits for its promise. */
  show(bytes: Uint8Array): Promise<void>;
  /** A key that signals the processes in front: SIGINT, SIGQUIT. */
  signal(name: 'SIGINT' | 'SIGQUIT'): void;
}

/**
 * Bytes of lines that nobody has read yet, at most (Linux's N_TTY_BUF_SIZE). Further ones wait until some are read; of a
 * single line that is longer, the rest is dropped with a bell.
 */
const typedAheadBytes = 4096;

const key = {
  interrupt: 0x03,
  endOfFile: 0x04,
  backspace: 0x08,
  tab: 0x09,
  newline: 0x0a,
  return: 0x0d,
  killLine: 0x15,
  killWord: 0x17,
  quit: 0x1c,
  delete: 0x7f,
} as const;

const none = new Uint8Array(0);

/**
 * A terminal's line discipline (termios, canonical mode): what is typed is echoed, can be corrected until Enter, and goes
 * to whoever reads, a line at a time. A line editor takes the keys as they are instead, while it has `keys`.
 */
export class Terminal implements OpenFile {
  readonly type = 'terminal';
  readonly isTerminal = true;
  readonly path: string;
  readonly terminal: Terminal = this;
  columns: number;
  rows: number;
  /** Whether what is typed is shown (`stty -echo`, `read -s`). */
  echo = true;
  /** Whether a newline that a program writes also returns to the first column (`stty -opost`). */
  opost = true;
  /** Told when its size has changed. */
  onResize: () => void = () => {};
  /** Whoever takes keys instead of lines, as they come. */
  keys: ((bytes: Uint8Array) => void) | undefined;
  readonly #parts: TerminalParts;
  #line: number[] = [];
  /** What was entered and is to be read; an empty one is an end of file. */
  #entered: Uint8Array[] = [];
  /** What the client typed and finds no room among the entered lines yet. */
  #held: Uint8Array = none;
  /** Told when all that was held is taken or dropped. */
  #typists: (() => void)[] = [];
  /** What the bytes that are being taken show. */
  #echoes: number[] = [];
  #readers: (() => void)[] = [];
  #isHungUp = false;
  #shown: Promise<void> = Promise.resolve();
  /** What the special characters do. */
  readonly #edits: ReadonlyMap<number, () => void> = new Map([
    [key.interrupt, () => this.#signal('SIGINT', '^C')],
    [key.quit, () => this.#signal('SIGQUIT', '^\\')],
    [key.endOfFile, () => this.#enter()],
    [key.backspace, () => this.#erase(1)],
    [key.delete, () => this.#erase(1)],
    [key.killLine, () => this.#erase(Number.POSITIVE_INFINITY)],
    [key.killWord, () => this.#eraseWord()],
    [key.return, () => this.#enterLine()],
    [key.newline, () => this.#enterLine()],
  ]);

  constructor(size: { readonly columns: number; readonly rows: number }, parts: TerminalParts) {
    this.columns = size.columns;
    this.rows = size.rows;
    this.path = `/dev/pts/${parts.number}`;
    this.#parts = parts;
  }

  /**
   * What the client typed. Resolves when all of it is taken: it waits while lines that nobody has read are too many. A key
   * that signals waits for nothing, and what was held before it is dropped.
   */
  async input(bytes: Uint8Array): Promise<void> {
    if (this.#isHungUp) return;
    if (this.keys) return this.keys(bytes);
    this.#hold(joined(this.#held, bytes));
    this.#takeHeld();
    const signal = this.#held.findLastIndex(isSignal);
    if (signal >= 0) {
      this.#hold(this.#held.subarray(signal));
      this.#takeHeld();
    }
    if (this.#held.length > 0) await new Promise<void>((taken) => this.#typists.push(taken));
  }

  /** What was typed and nobody has read, for a line editor that begins. */
  takeTypedAhead(): Uint8Array {
    const taken = [...this.#entered, Uint8Array.from(this.#line), this.#held].reduce(joined, none);
    this.#entered = [];
    this.#line = [];
    this.#hold(none);
    return taken;
  }

  resize({ columns, rows }: { readonly columns: number; readonly rows: number }): void {
    this.columns = columns;
    this.rows = rows;
    this.onResize();
  }

  /** Shows bytes as they are; what is written waits its turn behind them. */
  show(bytes: Uint8Array): Promise<void> {
    return this.#show(bytes);
  }

  /** Nobody is there any more: what reads finds the end. */
  hangUp(): void {
    this.#isHungUp = true;
    this.#hold(none);
    this.#wake();
  }

  async read(maxBytes: number, signal?: AbortSignal): Promise<Uint8Array> {
    while (this.#entered.length === 0) {
      signal?.throwIfAborted();
      if (this.#isHungUp) return none;
      await this.#nextLine(signal);
    }
    const first = this.#entered.shift() ?? none;
    if (first.length > maxBytes) this.#entered.unshift(first.subarray(maxBytes));
    this.#takeHeld();
    return first.subarray(0, maxBytes);
  }

  unread(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#entered.unshift(bytes);
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.#isHungUp) throw new ShellError('EIO');
    await this.#show(this.opost ? withReturns(bytes) : bytes);
  }

  /** A terminal outlives the descriptors that refer to it: its owner hangs it up. */
  retain(): void {}
  release(): void {}

  #hold(bytes: Uint8Array): void {
    this.#held = bytes;
    if (bytes.length === 0) for (const taken of this.#typists.splice(0)) taken();
  }

  /** Takes of what is held as much as there is room for, and shows it at once. */
  #takeHeld(): void {
    const held = this.#held;
    let taken = 0;
    while (taken < held.length && this.#mayType(held[taken] ?? 0)) this.#type(held[taken++] ?? 0);
    // A key may have dropped the rest.
    if (this.#held === held) this.#hold(held.subarray(taken));
    this.#showEchoes();
  }

  #mayType(byte: number): boolean {
    return isSignal(byte) || this.#entered.length === 0 || this.#typedAhead() < typedAheadBytes;
  }

  #type(byte: number): void {
    const edit = this.#edits.get(byte);
    if (edit) edit();
    else if (this.#line.length >= typedAheadBytes) this.#echo('\x07');
    else {
      this.#line.push(byte);
      if (this.echo) this.#echoes.push(...(byte < 0x20 && byte !== key.tab ? caret(byte) : [byte]));
    }
  }

  /** What nobody has read is dropped (termios, NOFLSH). */
  #signal(name: 'SIGINT' | 'SIGQUIT', shown: string): void {
    this.#line = [];
    this.#entered = [];
    if (this.echo) this.#echo(shown);
    this.#showEchoes();
    this.#parts.signal(name);
  }

  #enterLine(): void {
    this.#line.push(key.newline);
    if (this.echo) this.#echo('\r\n');
    this.#enter();
  }

  #enter(): void {
    this.#entered.push(Uint8Array.from(this.#line));
    this.#line = [];
    this.#wake();
  }

  /** Characters, not bytes: what continues one in UTF-8 goes with it. */
  #erase(characters: number): void {
    for (let left = characters; left > 0 && this.#line.length > 0; left--) {
      let byte = this.#line.pop() ?? 0;
      while ((byte & 0xc0) === 0x80 && this.#line.length > 0) byte = this.#line.pop() ?? 0;
      if (this.echo) this.#echo(byte < 0x20 ? '\b\b  \b\b' : '\b \b');
    }
  }

  #eraseWord(): void {
    const text = String.fromCharCode(...this.#line);
    const kept = text.replace(/[^ \t]*[ \t]*$/, '').length;
    while (this.#line.length > kept) this.#erase(1);
  }

  #typedAhead(): number {
    return this.#entered.reduce((sum, { length }) => sum + length, this.#line.length);
  }

  #nextLine(signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#readers.push(resolve);
    signal?.addEventListener('abort', resolve, { once: true });
    return promise.finally(() => signal?.removeEventListener('abort', resolve));
  }

  #wake(): void {
    for (const wake of this.#readers.splice(0)) wake();
  }

  #echo(text: string): void {
    this.#echoes.push(...new TextEncoder().encode(text));
  }

  #showEchoes(): void {
    const echoes = this.#echoes.splice(0);
    if (echoes.length > 0) void this.#show(Uint8Array.from(echoes));
  }

  #show(bytes: Uint8Array): Promise<void> {
    const shown = this.#shown.then(() => (this.#isHungUp ? undefined : this.#parts.show(bytes)));
    this.#shown = shown.catch(() => undefined);
    return shown;
  }
}

function isSignal(byte: number): boolean {
  return byte === key.interrupt || byte === key.quit;
}

function caret(byte: number): readonly number[] {
  return [0x5e, byte + 0x40];
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const whole = new Uint8Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
}

/** ONLCR: a line that ends begins the next one at its left. */
function withReturns(bytes: Uint8Array): Uint8Array {
  let newlines = 0;
  for (const byte of bytes) if (byte === key.newline) newlines++;
  if (newlines === 0) return bytes;
  const out = new Uint8Array(bytes.length + newlines);
  let at = 0;
  for (const byte of bytes) {
    if (byte === key.newline) out[at++] = key.return;
    out[at++] = byte;
  }
  return out;
}
