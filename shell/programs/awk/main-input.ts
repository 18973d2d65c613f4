import { ShellError } from '../../shell-error.ts';
import type { ShellText } from '../../text.ts';
import type { AwkArray } from './awk-array.ts';
import type { AwkFiles } from './awk-files.ts';
import { AwkProblem } from './awk-problem.ts';
import type { RecordReader, RecordSeparator } from './record-reader.ts';
import { toNumber, toText } from './values.ts';

export const assignmentOperand: RegExp = /^([A-Za-z_]\w*)=([\s\S]*)$/;

interface InputHooks {
  readonly files: AwkFiles;
  readonly operands: AwkArray;
  /** ARGC, as it is by now. */
  operandCount(): number;
  /** An operand `name=value` stands where the next file would. */
  assign(name: string, value: ShellText): void;
  onFile(name: ShellText): void;
}

/** The records of the files of the command line, one after the other; of standard input where it names none. */
export class MainInput {
  readonly #hooks: InputHooks;
  #reader: RecordReader | undefined;
  #name: ShellText = '';
  #next = 1;
  #hasFile = false;
  #isEnded = false;

  constructor(hooks: InputHooks) {
    this.#hooks = hooks;
  }

  /** `undefined` once all is read. The separator is asked for again: an operand may change it. @throws AwkProblem */
  next(separator: () => RecordSeparator): ShellText | undefined | Promise<ShellText | undefined> {
    if (this.#reader === undefined) return this.#advance(separator);
    const record = this.#reader.next(separator());
    return typeof record === 'string' ? record : this.#settled(record, separator);
  }

  /** Leaves the rest of the file. */
  skipFile(): void {
    this.#reader?.release();
    this.#reader = undefined;
  }

  async #settled(
    pending: Promise<ShellText | undefined> | undefined,
    separator: () => RecordSeparator,
  ): Promise<ShellText | undefined> {
    try {
      const record = await pending;
      if (record !== undefined) return record;
    } catch (error) {
      if (!(error instanceof ShellError)) throw error;
      throw new AwkProblem(`cannot read ${this.#name} (${error.message})`, { isRunTime: false });
    }
    this.skipFile();
    return await this.#advance(separator);
  }

  async #advance(separator: () => RecordSeparator): Promise<ShellText | undefined> {
    while (!this.#isEnded) {
      const name = this.#nextName();
      if (name === undefined) {
        this.#isEnded = true;
        break;
      }
      this.#open(name);
      const record = await this.next(separator);
      return record;
    }
    return undefined;
  }

  #nextName(): ShellText | undefined {
    const { operands } = this.#hooks;
    while (this.#next < this.#hooks.operandCount()) {
      const key = `${this.#next}`;
      this.#next += 1;
      if (!operands.has(key)) continue;
      const operand = toText(operands.get(key), '%.6g');
      if (operand === '') continue;
      const [, name, value = ''] = assignmentOperand.exec(operand) ?? [];
      if (name === undefined) {
        this.#hasFile = true;
        return operand;
      }
      this.#hooks.assign(name, value);
    }
    if (this.#hasFile) return undefined;
    this.#hasFile = true;
    return '-';
  }

  #open(name: ShellText): void {
    this.#name = name;
    try {
      this.#reader = this.#hooks.files.open(name);
    } catch (error) {
      if (!(error instanceof ShellError)) throw error;
      throw new AwkProblem(`cannot open ${name} (${error.message})`, { isRunTime: false });
    }
    this.#hooks.onFile(name === '-' ? '' : name);
  }
}

/** ARGC as a number of operands that can be counted. */
export function operandCountOf(value: Parameters<typeof toNumber>[0]): number {
  return Math.min(Math.trunc(toNumber(value)) || 0, 1_000_000);
}
