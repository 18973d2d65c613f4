import { setTimeout as delay } from 'node:timers/promises';
import { SandboxError } from '../../protocol/errors.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import type { SharedOptions } from '../cli.ts';
import type { CliContext } from '../context.ts';
import { plainText } from '../output/plain-text.ts';
import type { Printer } from '../output/printer.ts';
import { findSandbox } from '../place/find-sandbox.ts';
import { type FileRecording, recordTo } from '../record/record-to.ts';
import { type PassedProgram, PassThrough } from '../terminal/pass-through.ts';
import { openSupervisor } from './open-supervisor.ts';
import { type StopSignal, SupervisedProgram } from './supervise-program.ts';

export interface SuperviseOptions extends SharedOptions {
  /** Whether the program is started again after a checkout. */
  readonly relaunch: boolean;
  readonly terminal: boolean | undefined;
  /** A file that the session is recorded in; another one with a number where the machine was started anew. */
  readonly record?: string | undefined;
  /** It has the files of the image too. */
  readonly withImage?: boolean | undefined;
}

const passed: readonly StopSignal[] = ['SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGHUP'];

/**
 * Runs a program in the sandbox on this process's terminal or pipes, and serves the folder meanwhile. What happens
 * inside does not touch this process: it is never rolled back. Resolves to the exit code when all is saved and closed.
 * @throws not-found where there is no such sandbox; as `openSupervisor`
 */
export async function superviseSandbox(
  program: PassedProgram,
  { context, printer, ...options }: SuperviseOptions & { context: CliContext; printer: Printer },
): Promise<number> {
  await using stack = new AsyncDisposableStack();
  let streams: PassThrough | undefined;
  let sandbox: Sandbox | undefined;
  let recording: FileRecording | undefined;
  let recorded = 0;
  const record = async () => {
    if (options.record === undefined) return;
    const output = numbered(options.record, ++recorded);
    const to = { output, name: output, force: false, title: titleOf(program), image: options.withImage };
    recording = await recordTo(to, { sandbox: opened(sandbox), context, printer: { note: tell } });
  };
  const tell = (text: string) => printer.note(streams?.isTerminal ? `\r\n${text}\r` : text);
  const note = (text: string) => {
    tell(`coppice: ${plainText(text)}`);
  };
  const supervised = new SupervisedProgram({
    relaunches: options.relaunch,
    run: async () => opened(streams).run(opened(sandbox).connection, program),
    kill: async (signal) => streams?.kill(signal),
    renewMachine: async () => {
      await sandbox?.close().catch(() => undefined);
      await served.close(id).catch(() => undefined);
      sandbox = await Sandbox.open(id, { backend });
      await recording?.[Symbol.asyncDispose]();
      // A program is to run, whatever its recording has come to.
      await record().catch((error: unknown) => note(SandboxError.from(error).message));
    },
    onRestart: (why) => {
      streams?.reset();
      note(`the program starts again: ${why}`);
    },
    wait: (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined),
    now: () => performance.now(),
  });
  // From now on: opening a folder takes a while.
  stack.use(context.takeSignals(passed, (signal) => void supervised.signal(signal as StopSignal)));
  const served = stack.use(
    await openSupervisor(options, context, {
      describe: () => ({ supervised: { command: program.command, ...supervised.state } }),
      onStop: () => void supervised.signal('SIGTERM'),
      onFailure: (error) => note(`${error instanceof Error ? error.message : error}`),
    }),
  );
  const { backend } = served;
  const { id } = await findSandbox(backend, options.sandbox);
  sandbox = await Sandbox.open(id, { backend });
  stack.defer(() => sandbox?.close());
  await record();
  stack.defer(() => recording?.[Symbol.asyncDispose]());
  streams = stack.use(new PassThrough(context, { terminal: options.terminal }));
  const { exitCode, why } = await supervised.run();
  if (why !== undefined) note(`the program has ended: ${why}`);
  await recording?.stop(exitCode);
  return exitCode;
}

/** `work.cast.gz`, then `work-2.cast.gz`. */
function numbered(path: string, number: number): string {
  return number === 1 ? path : path.replace(/(\.cast)?(\.gz)?$/, (end) => `-${number}${end}`);
}

function titleOf({ command }: PassedProgram): string {
  return typeof command === 'string' ? command : command.join(' ');
}

function opened<T>(value: T | undefined): T {
  if (value !== undefined) return value;
  throw new Error('The program was started before its sandbox was open');
}
