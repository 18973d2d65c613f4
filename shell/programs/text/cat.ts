import { OpenTreeFile } from '../../files/open-tree-file.ts';
import type { OpenFile } from '../../io/open-file.ts';
import { defineProgram } from '../command-line/define-program.ts';
import { withInput } from '../command-line/with-input.ts';
import { nameInMessage } from '../messages/quote-name.ts';
import type { Program } from '../program.ts';
import { pieces } from '../streams/input.ts';

const newline = 0x0a;
const tab = 0x09;

interface CatStyle {
  readonly numbers: 'all' | 'nonblank' | undefined;
  readonly showsEnds: boolean;
  readonly showsTabs: boolean;
  readonly showsControls: boolean;
  readonly squeezes: boolean;
}

export const cat: Program = defineProgram({
  usage: '[OPTION]... [FILE]...',
  summary: 'Concatenate FILE(s) to standard output. With no FILE, or when FILE is -, read standard input.',
  options: {
    all: '-A, --show-all  equivalent to -vET',
    nonblank: '-b, --number-nonblank  number nonempty output lines, overrides -n',
    endsAndControls: '-e  equivalent to -vE',
    ends: '-E, --show-ends  display $ at end of each line',
    number: '-n, --number  number all output lines',
    squeeze: '-s, --squeeze-blank  suppress repeated empty output lines',
    tabsAndControls: '-t  equivalent to -vT',
    tabs: '-T, --show-tabs  display TAB characters as ^I',
    unbuffered: '-u  (ignored)',
    controls: '-v, --show-nonprinting  use ^ and M- notation, except for LFD and TAB',
  },
  async run(invocation) {
    const { call, options, operands, out } = invocation;
    const style: CatStyle = {
      numbers: options.has('nonblank') ? 'nonblank' : options.has('number') ? 'all' : undefined,
      showsEnds: options.has('ends', 'all', 'endsAndControls'),
      showsTabs: options.has('tabs', 'all', 'tabsAndControls'),
      showsControls: options.has('controls', 'all', 'endsAndControls', 'tabsAndControls'),
      squeezes: options.has('squeeze'),
    };
    const isPlain = Object.values(style).every((value) => !value);
    const formatter = isPlain ? undefined : new CatFormatter(style);
    let status = 0;
    for (const name of operands.length > 0 ? operands : ['-']) {
      const isDone = await withInput(invocation, { name }, async (file) => {
        if (isSameFile(file, call.stdout)) {
          await invocation.warn(`${nameInMessage(name)}: input file is output file`);
          status = 1;
          return;
        }
        for await (const piece of pieces(file, call.signal)) {
          out.addBytes(formatter ? formatter.format(piece) : piece);
          await out.flush();
        }
      });
      if (!isDone) status = 1;
    }
    return status;
  },
});

function isSameFile(input: OpenFile, output: OpenFile): boolean {
  if (!(input instanceof OpenTreeFile && output instanceof OpenTreeFile)) return false;
  return input.ino === output.ino && (output.appends || input.position < output.position);
}

/** Shows lines as `cat` does with options; goes on from one file to the next. */
class CatFormatter {
  readonly #style: CatStyle;
  #line = 0;
  #isAtStart = true;
  #blankLines = 0;

  constructor(style: CatStyle) {
    this.#style = style;
  }

  format(piece: Uint8Array): Uint8Array {
    const { numbers, showsEnds, squeezes } = this.#style;
    const shown: number[] = [];
    for (const byte of piece) {
      if (this.#isAtStart) {
        this.#blankLines = byte === newline ? this.#blankLines + 1 : 0;
        if (squeezes && this.#blankLines > 1) continue;
        if (numbers === 'all' || (numbers === 'nonblank' && byte !== newline)) this.#addNumber(shown);
      }
      this.#isAtStart = byte === newline;
      if (byte === newline) {
        if (showsEnds) shown.push(0x24);
        shown.push(newline);
      } else this.#addByte(byte, shown);
    }
    return Uint8Array.from(shown);
  }

  #addNumber(shown: number[]): void {
    this.#line += 1;
    for (const digit of `${String(this.#line).padStart(6)}\t`) shown.push(digit.charCodeAt(0));
  }

  #addByte(byte: number, shown: number[]): void {
    if (byte === tab) {
      if (this.#style.showsTabs) shown.push(0x5e, 0x49);
      else shown.push(tab);
      return;
    }
    if (!this.#style.showsControls) {
      shown.push(byte);
      return;
    }
    let low = byte;
    if (byte >= 0x80) {
      shown.push(0x4d, 0x2d);
      low = byte - 0x80;
    }
    if (low === 0x7f) shown.push(0x5e, 0x3f);
    else if (low < 0x20) shown.push(0x5e, low + 0x40);
    else shown.push(low);
  }
}
