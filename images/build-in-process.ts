import { fork } from 'node:child_process';
import { once } from 'node:events';
import { extname, join } from 'node:path';
import type { StepReport } from '../host/progress.ts';
import { listenAbort, throwIfAborted } from '../protocol/abort.ts';
import { SandboxError } from '../protocol/errors.ts';
import type { BuildOptions } from './build-image.ts';
import type { BuildMessage } from './build-image-process.ts';

/** In the package it is a bundle beside that of this module. */
const entry = join(import.meta.dirname, `build-image-process${extname(import.meta.filename)}`);

/**
 * `buildImage` in a process of its own: what it takes of memory, over a gigabyte, is given back with that, and this
 * process goes on with its work meanwhile. @throws as it; machine-failed where the process is ended; aborted
 */
export async function buildInProcess(
  name: string,
  { cache, golden, progress, signal }: BuildOptions,
): Promise<{ readonly text: string; readonly isOffLock: boolean }> {
  throwIfAborted(signal, `Cannot make the image ${name}`);
  const child = fork(entry, [cache.join(), name, String(golden)], {
    execArgv: [],
    // What it has to say comes as messages; standard output belongs to the results of a command.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const steps = new Map<number, Step>();
  let last: Extract<BuildMessage, { readonly type: 'built' | 'failed' }> | undefined;
  child.on('message', (message: BuildMessage) => {
    switch (message.type) {
      case 'note':
      case 'warn':
        return progress[message.type](message.text);
      case 'begin':
        return void steps.set(message.step, new Step(progress, message.label));
      case 'built':
      case 'failed':
        last = message;
        return;
      default:
        steps.get(message.step)?.take(message);
    }
  });
  const unlisten = listenAbort(signal, () => void child.kill());
  try {
    await once(child, 'close');
  } finally {
    unlisten();
    for (const step of steps.values()) step.take({ type: 'end', isGood: false });
  }
  throwIfAborted(signal, `Cannot make the image ${name}`);
  if (last?.type === 'built') return last;
  if (last) throw SandboxError.from(last.error);
  throw new SandboxError(
    'machine-failed',
    `The process that makes the image ${name} was ended (${child.signalCode ?? `exit code ${child.exitCode}`}), as for want of memory: it takes 2 GiB. Do it again`,
    { details: { image: name } },
  );
}

type StepMessage =
  | Omit<Extract<BuildMessage, { readonly type: 'bytes' }>, 'step'>
  | Omit<Extract<BuildMessage, { readonly type: 'detail' }>, 'step'>
  | Omit<Extract<BuildMessage, { readonly type: 'end' }>, 'step'>;

/** A step of the other process, shown here. */
class Step {
  readonly #ended = Promise.withResolvers<void>();
  #report: StepReport | undefined;

  constructor(progress: BuildOptions['progress'], label: string) {
    const shown = progress.step(label, (report) => {
      this.#report = report;
      return this.#ended.promise;
    });
    shown.catch(() => undefined); // The error comes with the last message.
  }

  take(message: StepMessage): void {
    if (message.type === 'bytes') this.#report?.bytes(message.doneBytes, message.totalBytes, message.more);
    else if (message.type === 'detail') this.#report?.detail(message.text);
    else if (message.isGood) this.#ended.resolve();
    else this.#ended.reject(new Error('The step has failed in its process'));
  }
}
