import { decodeText } from '../../text.ts';
import { defineProgram } from '../command-line/define-program.ts';
import { countOf } from '../command-line/parse-count.ts';
import { withInput } from '../command-line/with-input.ts';
import { ProgramError, UsageError } from '../messages/program-error.ts';
import { quoteName } from '../messages/quote-name.ts';
import type { Program } from '../program.ts';
import { pieces } from '../streams/input.ts';

/** An encoding of RFC 4648: groups of `groupBytes` bytes as characters of `bits` bits each. */
interface Encoding {
  readonly label: string;
  readonly alphabet: string;
  readonly bits: number;
  readonly groupBytes: number;
}

const base64Encoding: Encoding = {
  label: 'Base64',
  alphabet: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
  bits: 6,
  groupBytes: 3,
};

const base32Encoding: Encoding = {
  label: 'Base32',
  alphabet: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567',
  bits: 5,
  groupBytes: 5,
};

export const base64: Program = baseProgram(base64Encoding);
export const base32: Program = baseProgram(base32Encoding);

function baseProgram(encoding: Encoding): Program {
  return defineProgram({
    usage: '[OPTION]... [FILE]',
    summary: `${encoding.label} encode or decode FILE, or standard input, to standard output.`,
    options: {
      decode: '-d, --decode  decode data',
      ignore: '-i, --ignore-garbage  when decoding, ignore non-alphabet characters',
      wrap: '-w, --wrap=COLS  wrap encoded lines after COLS character (default 76); use 0 to disable line wrapping',
    },
    async run(invocation) {
      const { call, options, operands, out } = invocation;
      if (operands[1] !== undefined) throw new UsageError(`extra operand ${quoteName(operands[1])}`);
      const columns = countOf(options.value('wrap') ?? '76', 'invalid wrap size');
      const isDone = await withInput(invocation, { name: operands[0] ?? '-' }, async (file) => {
        if (options.has('decode')) {
          const decoder = new BaseDecoder(encoding, options.has('ignore'));
          for await (const piece of pieces(file, call.signal))
            await out.writeBytes(decoder.decode(decodeText(piece)));
          out.addBytes(decoder.end());
          if (decoder.isInvalid) {
            await out.flush();
            throw new ProgramError('invalid input');
          }
          return;
        }
        const encoder = new BaseEncoder(encoding, columns);
        for await (const piece of pieces(file, call.signal)) await out.write(encoder.encode(piece));
        out.add(encoder.end());
      });
      return isDone ? 0 : 1;
    },
  });
}

class BaseEncoder {
  readonly #encoding: Encoding;
  readonly #columns: number;
  #held: number[] = [];
  #line = '';

  constructor(encoding: Encoding, columns: number) {
    this.#encoding = encoding;
    this.#columns = columns;
  }

  encode(bytes: Uint8Array): string {
    const { groupBytes } = this.#encoding;
    let text = '';
    const all = this.#held.length > 0 ? Uint8Array.from([...this.#held, ...bytes]) : bytes;
    const end = all.length - (all.length % groupBytes);
    for (let at = 0; at < end; at += groupBytes) text += this.#group(all.subarray(at, at + groupBytes));
    this.#held = [...all.subarray(end)];
    return this.#wrap(text);
  }

  end(): string {
    const text = this.#held.length === 0 ? '' : this.#wrap(this.#group(Uint8Array.from(this.#held)));
    const last = this.#line;
    this.#line = '';
    if (this.#columns === 0) return text;
    return last === '' && text === '' ? '' : `${text}${last}${last === '' ? '' : '\n'}`;
  }

  #group(bytes: Uint8Array): string {
    const { alphabet, bits, groupBytes } = this.#encoding;
    let value = 0n;
    for (let at = 0; at < groupBytes; at++) value = (value << 8n) | BigInt(bytes[at] ?? 0);
    const count = (groupBytes * 8) / bits;
    const used = Math.ceil((bytes.length * 8) / bits);
    let text = '';
    for (let at = 0; at < count; at++) {
      const index = Number((value >> BigInt((count - 1 - at) * bits)) & BigInt((1 << bits) - 1));
      text += at < used ? alphabet[index] : '=';
    }
    return text;
  }

  #wrap(text: string): string {
    if (this.#columns === 0) return text;
    const all = this.#line + text;
    let lines = '';
    let at = 0;
    for (; all.length - at >= this.#columns; at += this.#columns)
      lines += `${all.slice(at, at + this.#columns)}\n`;
    this.#line = all.slice(at);
    return lines;
  }
}

class BaseDecoder {
  readonly #encoding: Encoding;
  readonly #values: ReadonlyMap<string, number>;
  readonly #ignoresOthers: boolean;
  #value = 0;
  #bits = 0;
  #characters = 0;
  #padding = 0;
  isInvalid = false;

  constructor(encoding: Encoding, ignoresOthers: boolean) {
    this.#encoding = encoding;
    this.#ignoresOthers = ignoresOthers;
    this.#values = new Map([...encoding.alphabet].map((character, index) => [character, index]));
  }

  decode(text: string): Uint8Array {
    const { bits, groupBytes } = this.#encoding;
    const groupCharacters = (groupBytes * 8) / bits;
    const bytes: number[] = [];
    for (const character of text) {
      if (this.isInvalid) break;
      if (character === '\n') continue;
      const value = this.#values.get(character);
      if (character === '=' && this.#characters > 0) this.#padding += 1;
      else if (value === undefined) {
        if (!this.#ignoresOthers) this.isInvalid = true;
        continue;
      } else if (this.#padding > 0) {
        this.isInvalid = true;
        continue;
      } else {
        this.#value = (this.#value << bits) | value;
        this.#bits += bits;
        if (this.#bits >= 8) {
          this.#bits -= 8;
          bytes.push((this.#value >> this.#bits) & 0xff);
          this.#value &= (1 << this.#bits) - 1;
        }
      }
      this.#characters += 1;
      if (this.#characters === groupCharacters) this.#reset();
    }
    return Uint8Array.from(bytes);
  }

  /** Nothing is left: an incomplete group is a mistake. */
  end(): Uint8Array {
    if (this.#characters > 0) this.isInvalid = true;
    return new Uint8Array(0);
  }

  #reset(): void {
    this.#value = 0;
    this.#bits = 0;
    this.#characters = 0;
    this.#padding = 0;
  }
}
