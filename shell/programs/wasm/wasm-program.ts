import { shellLimits } from '../../limits.ts';
import { ShellError, ShellLimitError } from '../../shell-error.ts';
import type { Program, ProgramCall } from '../program.ts';
import type {
  Answer,
  FromProgram,
  ProgramWorker,
  Question,
  StartProgramWorker,
  WasmProgram,
} from './program-worker.ts';
import { answerQuestion } from './serve-files.ts';

/**
 * A program that runs in a thread of its own, so that nothing it computes holds the shell's: when its process is killed, or its
 * time is over, the thread is ended.
 */
export function wasmProgram(program: WasmProgram, startWorker: StartProgramWorker): Program {
  return async (call) => {
    call.signal.throwIfAborted();
    if (threads >= shellLimits.programThreads) {
      throw new ShellLimitError(
        'programThreads',
        `more than ${shellLimits.programThreads} programs in threads of their own`,
      );
    }
    threads += 1;
    try {
      return await new ProgramRun(call, startWorker()).run(program);
    } finally {
      threads -= 1;
    }
  };
}

/** Of this thread, all sandboxes together. */
let threads = 0;

class ProgramRun {
  readonly #call: ProgramCall;
  readonly #worker: ProgramWorker;
  readonly #result: PromiseWithResolvers<number> = Promise.withResolvers();
  /** Answers and output, each one after the other. */
  #answers: Promise<void> = Promise.resolve();
  #output: Promise<void> = Promise.resolve();
  #outputBytes = 0;
  /** Of changes that wait to be made. */
  #changedBytes = 0;

  constructor(call: ProgramCall, worker: ProgramWorker) {
    this.#call = call;
    this.#worker = worker;
  }

  async run(program: WasmProgram): Promise<number> {
    const { signal, args, environment, cwd, stdin, stdout } = this.#call;
    const stop = () => this.#result.reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    let hasEnded = false;
    try {
      this.#worker.onFailure((reason) => this.#result.reject(new Error(reason)));
      this.#worker.onMessage((message) => this.#onMessage(message));
      this.#worker.post({
        type: 'start',
        start: {
          program,
          args,
          environment,
          cwd,
          isTerminal: { stdin: stdin.isTerminal ?? false, stdout: stdout.isTerminal ?? false },
          memoryBytes: shellLimits.programMemoryBytes,
        },
      });
      const exitCode = await this.#result.promise;
      hasEnded = true;
      await this.#output;
      return exitCode;
    } finally {
      if (hasEnded) this.#worker.release();
      else this.#worker.terminate();
      signal.removeEventListener('abort', stop);
    }
  }

  #onMessage(message: FromProgram): void {
    switch (message.type) {
      case 'question':
        this.#onQuestion(message.id, message.question);
        return;
      case 'output':
        this.#onOutput(message.fd, message.bytes);
        return;
      case 'end':
        this.#result.resolve(message.exitCode);
    }
  }

  #onQuestion(id: number, question: Question): void {
    const bytes = bytesIn(question);
    this.#changedBytes += bytes;
    if (this.#changedBytes > shellLimits.copiedBytes) {
      const message = `more than ${shellLimits.copiedBytes} bytes of changes wait to be made`;
      this.#result.reject(new ShellLimitError('copiedBytes', message));
      return;
    }
    const ask = async () => {
      await this.#answer(id, question);
      this.#changedBytes -= bytes;
    };
    if (question.type === 'stdin') void ask();
    else this.#answers = this.#answers.then(ask);
  }

  /** Never rejects. */
  async #answer(id: number, question: Question): Promise<void> {
    try {
      const value: Answer = await answerQuestion(this.#call, question);
      if (!this.#call.signal.aborted) this.#worker.post({ type: 'answer', id, value });
    } catch (error) {
      if (error instanceof ShellError) this.#worker.post({ type: 'failure', id, code: error.code });
      else this.#result.reject(error);
    }
  }

  /** The program's thread cannot wait for who reads its output, so what is not yet read is held here, up to a limit. */
  #onOutput(fd: 1 | 2, bytes: Uint8Array): void {
    const { stdout, stderr, signal } = this.#call;
    this.#outputBytes += bytes.length;
    if (this.#outputBytes > shellLimits.captureBytes) {
      const message = `more than ${shellLimits.captureBytes} bytes of output wait to be read`;
      this.#result.reject(new ShellLimitError('captureBytes', message));
      return;
    }
    this.#output = this.#output.then(async () => {
      await (fd === 1 ? stdout : stderr).write(bytes, signal);
      this.#outputBytes -= bytes.length;
    });
    this.#output.catch((error) => this.#result.reject(error));
  }
}

function bytesIn(question: Question): number {
  return question.type === 'change' && 'bytes' in question.change ? question.change.bytes.length : 0;
}
