import { shellLimits } from '../../limits.ts';
import { ShellLimitError } from '../../shell-error.ts';
import type { ShellText } from '../../text.ts';
import type { Regex } from '../patterns/regex.ts';
import type { ProgramCall } from '../program.ts';
import { Steps } from '../streams/steps.ts';
import { ArrayBudget, AwkArray } from './awk-array.ts';
import { AwkFiles } from './awk-files.ts';
import { AwkProblem } from './awk-problem.ts';
import { RegexCache } from './awk-regex.ts';
import { Fields } from './fields.ts';
import { MainInput, operandCountOf } from './main-input.ts';
import { Random } from './random.ts';
import type { RecordSeparator } from './record-reader.ts';
import { type Splitter, splitterOf } from './split-text.ts';
import { type AwkValue, InputText, toNumber, toText } from './values.ts';

/** Goes over the names of an array as they were when it began. */
export interface KeyIterator {
  readonly keys: readonly ShellText[];
  at: number;
}

/** What stands on the stack, or in a variable. */
type Slot = AwkValue | AwkArray | KeyIterator;

/** One step of a program. What it answers must be waited for. */
export type Instruction = (machine: Machine) => Promise<void> | undefined | void;

interface Frame {
  readonly returnTo: number;
  readonly base: number;
  /** Those after are local variables, whose arrays end with the call. */
  readonly args: number;
  readonly size: number;
}

/** A program as instructions. */
export interface CompiledProgram {
  readonly code: readonly Instruction[];
  /** Global variables by name. */
  readonly globals: ReadonlyMap<string, number>;
  readonly arrays: ReadonlySet<string>;
  readonly ranges: number;
  /** Where the actions of END begin. */
  readonly end: number;
}

const mostFrames = shellLimits.arrayElements / 10;
/** Steps before it looks at the clock. */
const stepsAtOnce = 64;
/** Arguments and local variables of all calls. */
const mostSlots = 4 * shellLimits.arrayElements;
/** Characters whose handling counts as one step. */
const charactersPerStep = 64;

/** Runs a compiled program. The instructions work on its members. */
export class Machine {
  readonly program: CompiledProgram;
  readonly files: AwkFiles;
  readonly fields: Fields;
  readonly regexes: RegexCache = new RegexCache();
  readonly budget: ArrayBudget = new ArrayBudget();
  readonly random: Random = new Random();
  readonly environment: ProgramCall['environment'];
  readonly steps: Steps;
  readonly globals: Slot[];
  readonly stack: Slot[] = [];
  /** Whether each range of patterns has begun. */
  readonly ranges: boolean[];
  readonly settings = {
    splitter: splitterOf(' ', { regexOf: (pattern) => this.regexes.get(pattern) }) as Splitter,
    ofs: ' ',
    ors: '\n',
    subsep: '\x1c',
    convfmt: '%.6g',
    ofmt: '%.6g',
    separator: '\n' as RecordSeparator,
  };
  /** Where the locals of the running function begin. */
  base = 0;
  pc = 0;
  /** NR */
  records = 0;
  /** FNR */
  fileRecords = 0;
  exitCode = 0;
  isInEnd = false;
  /** BEGIN is over. */
  isReading = false;
  readonly #frames: Frame[] = [];
  readonly #input: MainInput;
  #left = 0;

  constructor(program: CompiledProgram, call: ProgramCall) {
    this.program = program;
    this.environment = call.environment;
    this.steps = new Steps(call.signal);
    this.files = new AwkFiles(call);
    this.fields = new Fields(this.settings, (characters) => this.spend(characters));
    this.ranges = new Array<boolean>(program.ranges).fill(false);
    this.globals = new Array<Slot>(program.globals.size).fill(undefined);
    for (const name of program.arrays) this.#setSlot(name, new AwkArray(this.budget));
    const initial = { FS: ' ', OFS: ' ', ORS: '\n', RS: '\n', SUBSEP: '\x1c', CONVFMT: '%.6g', OFMT: '%.6g' };
    for (const [name, value] of Object.entries({ ...initial, RSTART: 0, RLENGTH: -1, FILENAME: '' })) {
      this.#setSlot(name, value);
    }
    const environment = this.globalArray('ENVIRON');
    for (const [name, value] of call.environment) environment.set(name, new InputText(value));
    this.#input = new MainInput({
      files: this.files,
      operands: this.globalArray('ARGV'),
      operandCount: () => operandCountOf(this.#global('ARGC') as AwkValue),
      assign: (name, value) => this.assign(name, new InputText(value)),
      onFile: (name) => {
        this.fileRecords = 0;
        this.#setSlot('FILENAME', name);
      },
    });
  }

  /** Runs to the end. @throws AwkProblem, ShellError, ShellLimitError; what the signal was aborted with */
  async run(): Promise<void> {
    while (this.pc < this.program.code.length) {
      await this.#slice();
      await this.steps.next();
    }
  }

  /** Steps at once, up to one that must be waited for, or until others should have the thread. */
  #slice(): Promise<void> | undefined {
    const { code } = this.program;
    do {
      this.#left = stepsAtOnce;
      while (this.#left > 0) {
        this.#left -= 1;
        const instruction = code[this.pc];
        if (instruction === undefined) return undefined;
        this.pc += 1;
        const waiting = instruction(this);
        if (waiting !== undefined) return waiting;
      }
    } while (!this.steps.isDue);
    return undefined;
  }

  /** Long text is many steps. */
  spend(characters: number): void {
    this.#left -= characters / charactersPerStep;
  }

  pop(): AwkValue {
    return this.stack.pop() as AwkValue;
  }

  /** Takes several values that were pushed one after the other. */
  popAll(count: number): AwkValue[] {
    return count === 0 ? [] : (this.stack.splice(this.stack.length - count) as AwkValue[]);
  }

  text(value: AwkValue): ShellText {
    return toText(value, this.settings.convfmt);
  }

  regexOf(value: AwkValue): Regex {
    return this.regexes.get(this.text(value));
  }

  array(index: number): AwkArray {
    return this.globals[index] as AwkArray;
  }

  /** The array of a parameter or a local variable, which comes into being here. */
  localArray(index: number): AwkArray {
    const slot = this.stack[this.base + index];
    if (slot instanceof AwkArray) return slot;
    if (slot !== undefined) throw new AwkProblem('a value is used as an array');
    const array = new AwkArray(this.budget);
    this.stack[this.base + index] = array;
    return array;
  }

  globalArray(name: string): AwkArray {
    const index = this.program.globals.get(name);
    const slot = index === undefined ? undefined : this.globals[index];
    return slot instanceof AwkArray ? slot : new AwkArray(this.budget);
  }

  /** Assigns as `-v` does. A name that the program has not is none of its business. */
  assign(name: string, value: AwkValue): void {
    const index = this.program.globals.get(name);
    if (index === undefined) return;
    if (this.globals[index] instanceof AwkArray) {
      throw new AwkProblem(`cannot assign to the array ${name}`, { isRunTime: false });
    }
    this.globals[index] = value;
    specialVariables.get(name)?.(this, value);
  }

  /** Begins a function whose arguments are on the stack. */
  call(entry: number, { args, size }: { args: number; size: number }): void {
    if (this.#frames.length >= mostFrames || this.stack.length > mostSlots)
      throw new AwkProblem('function calls nested too deeply');
    this.#frames.push({ returnTo: this.pc, base: this.base, args, size });
    this.base = this.stack.length - args;
    for (let count = args; count < size; count++) this.stack.push(undefined);
    this.pc = entry;
  }

  return(value: AwkValue): void {
    const frame = this.#frames.pop();
    if (frame === undefined) return;
    this.#leave(frame);
    this.stack.push(value);
    this.pc = frame.returnTo;
  }

  /** Leaves all functions and loops (`next`, `exit`). */
  unwind(): void {
    for (let frame = this.#frames.pop(); frame; frame = this.#frames.pop()) this.#leave(frame);
    this.stack.length = 0;
  }

  #leave({ base, args, size }: Frame): void {
    for (let index = args; index < size; index++) {
      const slot = this.stack[this.base + index];
      if (slot instanceof AwkArray) slot.clear();
    }
    this.stack.length = this.base;
    this.base = base;
  }

  exit(status: number | undefined): void {
    if (status !== undefined) this.exitCode = Math.trunc(status) & 0xff;
    this.unwind();
    this.pc = this.isInEnd ? this.program.code.length : this.program.end;
  }

  /** The next record of the input, counted. */
  nextRecord(): ShellText | undefined | Promise<ShellText | undefined> {
    const record = this.#input.next(this.#separator);
    return typeof record === 'string' || record === undefined
      ? this.#counted(record)
      : record.then((text) => this.#counted(text));
  }

  skipFile(): void {
    this.#input.skipFile();
  }

  readonly #separator = (): RecordSeparator => this.settings.separator;

  #counted(record: ShellText | undefined): ShellText | undefined {
    if (record === undefined) return undefined;
    this.records += 1;
    this.fileRecords += 1;
    this.spend(record.length);
    return record;
  }

  #global(name: string): Slot {
    const index = this.program.globals.get(name);
    return index === undefined ? undefined : this.globals[index];
  }

  #setSlot(name: string, value: Slot): void {
    const index = this.program.globals.get(name);
    if (index !== undefined) this.globals[index] = value;
  }

  fail(message: ShellText): never {
    throw new AwkProblem(message);
  }

  /** The place of a failure, as its message has it. */
  get position(): string {
    return `FILENAME="${this.#global('FILENAME') ?? ''}" FNR=${this.fileRecords} NR=${this.records}`;
  }
}

/** What else happens when these are assigned to. */
export const specialVariables: ReadonlyMap<string, (machine: Machine, value: AwkValue) => void> = new Map<
  string,
  (machine: Machine, value: AwkValue) => void
>([
  ['NF', (machine, value) => (machine.fields.count = Math.trunc(toNumber(value)) || 0)],
  ['NR', (machine, value) => (machine.records = toNumber(value))],
  ['FNR', (machine, value) => (machine.fileRecords = toNumber(value))],
  ['FS', setSplitter],
  [
    'RS',
    (machine, value) => {
      const text = machine.text(value);
      machine.settings.separator = separatorOf(machine, text);
      setSplitter(machine, machine.globals[machine.program.globals.get('FS') ?? -1] as AwkValue);
    },
  ],
  [
    'OFS',
    (machine, value) => {
      machine.fields.settle();
      machine.settings.ofs = machine.text(value);
    },
  ],
  ['ORS', (machine, value) => (machine.settings.ors = machine.text(value))],
  ['SUBSEP', (machine, value) => (machine.settings.subsep = machine.text(value))],
  ['CONVFMT', (machine, value) => (machine.settings.convfmt = machine.text(value))],
  ['OFMT', (machine, value) => (machine.settings.ofmt = machine.text(value))],
]);

function separatorOf(machine: Machine, text: ShellText): RecordSeparator {
  if (text === '') return 'paragraph';
  return text.length === 1 ? text : machine.regexes.get(text);
}

function setSplitter(machine: Machine, value: AwkValue): void {
  machine.settings.splitter = splitterOf(machine.text(value), {
    regexOf: (pattern) => machine.regexes.get(pattern),
    isParagraph: machine.settings.separator === 'paragraph',
  });
}

export function limitText(text: ShellText): ShellText {
  if (text.length <= shellLimits.valueLength) return text;
  throw new ShellLimitError('valueLength', `text of more than ${shellLimits.valueLength} characters`);
}
