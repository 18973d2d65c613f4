import type { SharedOptions } from '../cli.ts';
import type { CliContext } from '../context.ts';
import { plainText } from '../output/plain-text.ts';
import type { Printer } from '../output/printer.ts';
import { openSupervisor } from './open-supervisor.ts';

/** Serves the folder until SIGTERM, SIGINT, SIGHUP or `ctl stop`. @throws as `openSupervisor` */
export async function serveUntilStopped(
  options: SharedOptions,
  { context, printer }: { readonly context: CliContext; readonly printer: Printer },
): Promise<void> {
  const stopped = Promise.withResolvers<void>();
  const stop = () => stopped.resolve();
  using _signals = context.takeSignals(['SIGTERM', 'SIGINT', 'SIGHUP'], stop);
  await using served = await openSupervisor(options, context, {
    describe: () => ({}),
    onStop: stop,
    onFailure: (error) =>
      printer.note(`coppice: ${plainText(error instanceof Error ? error.message : `${error}`)}`),
  });
  // Also where nobody is left to read what it says.
  context.signal.addEventListener('abort', stop, { once: true });
  const { socket } = served;
  printer.result({ pid: process.pid, socket }, () => `Process ${process.pid} answers at ${socket}`);
  await stopped.promise;
}
