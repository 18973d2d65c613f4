import type { OpenFile } from '../../io/open-file.ts';
import { ShellError } from '../../shell-error.ts';
import { decodeText, encodeText, type ShellText } from '../../text.ts';
import { ProgramError } from '../messages/program-error.ts';
import type { ProgramCall } from '../program.ts';
import { openInput, openOutput, readInput } from '../streams/input.ts';
import { LineReader } from '../streams/line-reader.ts';
import type { Output } from '../streams/output.ts';

/** The files that a script reads and writes by `r`, `R`, `w` and `W`. */
export class SedFiles {
  readonly #call: ProgramCall;
  readonly #out: Output;
  readonly #written: Map<ShellText, OpenFile> = new Map();
  readonly #read: Map<ShellText, { file: OpenFile; reader: LineReader } | undefined> = new Map();

  constructor(call: ProgramCall, out: Output) {
    this.#call = call;
    this.#out = out;
  }

  /** Empties a file that will be written. @throws ProgramError */
  prepare(name: ShellText): void {
    if (this.#written.has(name) || name === '/dev/stdout' || name === '/dev/stderr') return;
    try {
      this.#written.set(name, openOutput(this.#call, name));
    } catch (error) {
      if (!(error instanceof ShellError)) throw error;
      throw new ProgramError(`couldn't open file ${name}: ${error.message}`, { status: 4 });
    }
  }

  async write(name: ShellText, text: ShellText): Promise<void> {
    if (name === '/dev/stdout') this.#out.add(text);
    else if (name === '/dev/stderr') await this.#call.stderr.write(encodeText(text), this.#call.signal);
    else await this.#written.get(name)?.write(encodeText(text), this.#call.signal);
  }

  /** All of a file; nothing of one that cannot be read. */
  async contents(name: ShellText): Promise<ShellText> {
    try {
      return decodeText(await readInput(this.#call, name === '/dev/stdin' ? '-' : name));
    } catch (error) {
      if (error instanceof ShellError) return '';
      throw error;
    }
  }

  async line(name: ShellText): Promise<ShellText | undefined> {
    if (!this.#read.has(name)) this.#read.set(name, this.#open(name));
    return this.#read.get(name)?.reader.next();
  }

  close(): void {
    for (const file of this.#written.values()) file.release();
    for (const read of this.#read.values()) read?.file.release();
  }

  #open(name: ShellText): { file: OpenFile; reader: LineReader } | undefined {
    try {
      const file = openInput(this.#call, name === '/dev/stdin' ? '-' : name);
      return { file, reader: new LineReader(file, this.#call.signal) };
    } catch (error) {
      if (error instanceof ShellError) return undefined;
      throw error;
    }
  }
}
