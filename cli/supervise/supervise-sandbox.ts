import { setTimeout as delay } from 'node:timers/promises';
import { Sandbox } from '../../sdk/sandbox.ts';
import type { SharedOptions } from '../cli.ts';
import type { CliContext } from '../context.ts';
import { plainText } from '../output/plain-text.ts';
import type { Printer } from '../output/printer.ts';
import { findSandbox } from '../place/find-sandbox.ts';
import { type PassedProgram, PassThrough } from '../terminal/pass-through.ts';
import { openSupervisor } from './open-supervisor.ts';
import { type StopSignal, SupervisedProgram } from './supervise-program.ts';

export interface SuperviseOptions extends SharedOptions {
  /** Whether the program is started again after a checkout. */
  readonly relaunch: boolean;
  readonly terminal: boolean | undefined;
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
  const note = (text: string) => {
    const line = `coppice: ${plainText(text)}`;
    printer.note(streams?.isTerminal ? `\r\n${line}\r` : line);
  };
  const supervised = new SupervisedProgram({
    relaunches: options.relaunch,
    run: async () => opened(streams).run(opened(sandbox).connection, program),
    kill: async (signal) => streams?.kill(signal),
    renewMachine: async () => {
      await sandbox?.close().catch(() => undefined);
      await served.close(id).catch(() => undefined);
      sandbox = await Sandbox.open(id, { backend });
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
  streams = stack.use(new PassThrough(context, { terminal: options.terminal }));
  const { exitCode, why } = await supervised.run();
  if (why !== undefined) note(`the program has ended: ${why}`);
  return exitCode;
}

function opened<T>(value: T | undefined): T {
  if (value !== undefined) return value;
  throw new Error('The program was started before its sandbox was open');
}
