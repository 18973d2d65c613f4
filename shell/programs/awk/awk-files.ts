import type { OpenFile } from '../../io/open-file.ts';
import { createPipe } from '../../io/pipe.ts';
import { shellLimits } from '../../limits.ts';
import { ShellError } from '../../shell-error.ts';
import type { ShellText } from '../../text.ts';
import { ProgramError } from '../messages/program-error.ts';
import type { ProgramCall } from '../program.ts';
import { openInput, openOutput } from '../streams/input.ts';
import { Output } from '../streams/output.ts';
import { AwkProblem } from './awk-problem.ts';
import type { Redirection } from './awk-syntax.ts';
import { RecordReader } from './record-reader.ts';

interface OpenOutput {
  readonly output: Output;
  release(): void;
  /** Of a command: its exit code. */
  readonly status: Promise<number> | undefined;
}

interface OpenReader {
  readonly reader: RecordReader;
  readonly status: Promise<number> | undefined;
}

/** Files and commands that a program reads and writes, open until it closes them or ends. */
export class AwkFiles {
  readonly #call: ProgramCall;
  readonly standard: Output;
  readonly #errors: Output;
  readonly #outputs: Map<ShellText, OpenOutput> = new Map();
  readonly #readers: Map<ShellText, OpenReader> = new Map();
  #standardReader: RecordReader | undefined;

  constructor(call: ProgramCall) {
    this.#call = call;
    this.standard = new Output(call.stdout, call.signal);
    this.#errors = new Output(call.stderr, call.signal);
  }

  /** Adds to a file or a command's input. Answers what must be waited for, if anything. */
  write(kind: Redirection['kind'] | undefined, name: ShellText, text: ShellText): Promise<void> | undefined {
    if (kind === undefined) return this.#add(this.standard, text);
    const open = this.#outputs.get(keyOf(kind === '|' ? 'command' : 'file', name));
    if (open) return this.#add(open.output, text);
    return this.#open(kind, name).then((output) => this.#add(output, text));
  }

  #add(output: Output, text: ShellText): Promise<void> | undefined {
    output.add(text);
    if (output === this.#errors) return this.#complain();
    return output.isFull ? flushed(output, output === this.standard) : undefined;
  }

  /** Errors are seen at once; on a terminal after what was printed before. */
  async #complain(): Promise<void> {
    if (this.#call.stdout.isTerminal) await flushed(this.standard, true);
    await flushed(this.#errors, false);
  }

  /** The records of standard input: all that reads it shares them. */
  standardInput(): RecordReader {
    this.#call.stdin.retain();
    this.#standardReader ??= this.#reader(this.#call.stdin);
    return this.#standardReader;
  }

  /** Opens a file of the command line. @throws ShellError */
  open(name: ShellText): RecordReader {
    if (isStandardInput(name)) return this.standardInput();
    return this.#reader(openInput(this.#call, name));
  }

  /** What `getline` reads from. `undefined` of what cannot be opened. */
  reader(kind: 'file' | 'command', name: ShellText): RecordReader | undefined | Promise<RecordReader> {
    const known = this.#readers.get(keyOf(kind, name));
    if (known) return known.reader;
    this.#checkCount();
    if (kind === 'command') return this.#startReading(name);
    try {
      const reader = this.open(name);
      this.#readers.set(keyOf(kind, name), { reader, status: undefined });
      return reader;
    } catch (error) {
      if (error instanceof ShellError) return undefined;
      throw error;
    }
  }

  /** Closes all that is open by the name: -1 where nothing is. */
  async close(name: ShellText): Promise<number> {
    let status = -1;
    for (const kind of ['file', 'command'] as const) {
      const key = keyOf(kind, name);
      const output = this.#outputs.get(key);
      const reader = this.#readers.get(key);
      this.#outputs.delete(key);
      this.#readers.delete(key);
      if (kind === 'command' && (output ?? reader)) await this.flush();
      if (output) status = await closed(output);
      reader?.reader.release();
      if (reader) status = (await reader.status) ?? 0;
    }
    return status;
  }

  /** Runs a command, and waits for it. */
  async system(command: ShellText): Promise<number> {
    await this.flush();
    const status = await this.#call.run(['sh', '-c', command]);
    this.#call.signal.throwIfAborted();
    return status;
  }

  /** Writes what there is: of one file or command, or of all. Whether there is such a one. */
  async flush(name?: ShellText): Promise<boolean> {
    if (name === undefined || name === '' || name === '/dev/stdout') await flushed(this.standard, true);
    if (name === undefined || name === '') {
      for (const { output } of this.#outputs.values()) await flushed(output, false);
      return true;
    }
    const open = this.#outputs.get(keyOf('file', name)) ?? this.#outputs.get(keyOf('command', name));
    if (open) await flushed(open.output, false);
    return open !== undefined || name === '/dev/stdout' || name === '/dev/stderr';
  }

  /** At the end: what is to be written is written, and commands are waited for. */
  async closeAll(): Promise<void> {
    const open = [...this.#readers.values(), ...this.#outputs.values()];
    try {
      await flushed(this.standard, true);
      for (const { output } of this.#outputs.values()) await flushed(output, false);
    } finally {
      this.abandon();
      await Promise.allSettled(open.map(({ status }) => status));
    }
    // One that could not be started fails here.
    for (const { status } of open) await status;
  }

  /** Lets go of all without writing, when the program is killed. */
  abandon(): void {
    for (const { reader } of this.#readers.values()) reader.release();
    for (const output of this.#outputs.values()) output.release();
    this.#readers.clear();
    this.#outputs.clear();
  }

  async #open(kind: Redirection['kind'], name: ShellText): Promise<Output> {
    if (kind === '|') return await this.#startWriting(name);
    if (name === '/dev/stdout' || name === '-') return this.standard;
    if (name === '/dev/stderr') return this.#errors;
    this.#checkCount();
    try {
      const file = openOutput(this.#call, name, { append: kind === '>>' });
      const output = new Output(file, this.#call.signal);
      this.#outputs.set(keyOf('file', name), { output, release: () => file.release(), status: undefined });
      return output;
    } catch (error) {
      if (!(error instanceof ShellError)) throw error;
      throw new AwkProblem(`cannot open "${name}" for output (${error.message})`, { isRunTime: false });
    }
  }

  async #startWriting(command: ShellText): Promise<Output> {
    this.#checkCount();
    await this.flush();
    const { reader, writer } = createPipe();
    const status = this.#start(command, { stdin: reader });
    reader.release();
    const output = new Output(writer, this.#call.signal);
    this.#outputs.set(keyOf('command', command), { output, release: () => writer.release(), status });
    return output;
  }

  async #startReading(command: ShellText): Promise<RecordReader> {
    await this.flush();
    const { reader: file, writer } = createPipe();
    const status = this.#start(command, { stdout: writer });
    writer.release();
    const reader = this.#reader(file);
    this.#readers.set(keyOf('command', command), { reader, status });
    return reader;
  }

  #start(command: ShellText, options: Parameters<ProgramCall['run']>[1]): Promise<number> {
    const status = this.#call.run(['sh', '-c', command], options);
    // Whoever closes it is told.
    status.catch(() => {});
    return status;
  }

  #reader(file: OpenFile): RecordReader {
    return new RecordReader(file, {
      signal: this.#call.signal,
      onWait: () => flushed(this.standard, true),
    });
  }

  #checkCount(): void {
    if (this.#outputs.size + this.#readers.size < shellLimits.descriptors) return;
    throw new AwkProblem('too many open files');
  }
}

async function closed({ output, release, status }: OpenOutput): Promise<number> {
  try {
    await flushed(output, false);
  } finally {
    release();
  }
  return (await status) ?? 0;
}

/** A command that does not read what is written to it is no mistake; standard output that nobody reads ends the program. */
async function flushed(output: Output, isStandard: boolean): Promise<void> {
  try {
    await output.flush();
  } catch (error) {
    if (error instanceof ProgramError) throw new AwkProblem(error.message, { isRunTime: false });
    if (isStandard || !(error instanceof ShellError)) throw error;
  }
}

function keyOf(kind: 'file' | 'command', name: ShellText): ShellText {
  return `${kind} ${name}`;
}

function isStandardInput(name: ShellText): boolean {
  return name === '-' || name === '/dev/stdin';
}
