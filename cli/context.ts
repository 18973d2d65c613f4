import { isAbsolute } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { FolderPlace, PlaceOptions } from './place/place.ts';

/** A stream that may be a terminal. */
export type CliInput = Readable & { readonly isTTY?: boolean; setRawMode?(isRaw: boolean): unknown };
export type CliOutput = Writable & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
};

/** What a command has of the process that runs it. Tests give their own. */
export interface CliContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly directory: string;
  readonly stdin: CliInput;
  readonly stdout: CliOutput;
  readonly stderr: CliOutput;
  /** Aborted by the first SIGINT or SIGTERM, unless a command takes signals itself (`takeSignals`). */
  readonly signal: AbortSignal;
  /** Has these signals go to `listener` instead, until the result is disposed of. */
  takeSignals(signals: readonly NodeJS.Signals[], listener: (signal: NodeJS.Signals) => void): Disposable;
  /** Of the operating system, as `process.platform`, which it is by default. */
  readonly platform?: NodeJS.Platform;
  /** Opens the sandboxes of a folder instead of those in jails of this host. */
  readonly openFolder?: (options: PlaceOptions) => Promise<FolderPlace>;
}

/** That of this process. A second SIGINT ends it at once, as it would without us. */
export function processContext(): CliContext {
  const controller = new AbortController();
  const taken = new Set<NodeJS.Signals>();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (taken.has(signal)) return;
      if (controller.signal.aborted) process.exit(signal === 'SIGINT' ? 130 : 143);
      controller.abort();
    });
  }
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // Whoever read it has gone, as in `coppice log | head`: there is nothing more to say.
      if (error.code !== 'EPIPE') throw error;
      controller.abort();
    });
  }
  return {
    environment: process.env,
    directory: currentDirectory(process.env),
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    signal: controller.signal,
    takeSignals: (signals, listener) => {
      for (const signal of signals) {
        taken.add(signal);
        process.on(signal, listener);
      }
      return {
        [Symbol.dispose]: () => {
          for (const signal of signals) {
            taken.delete(signal);
            process.off(signal, listener);
          }
        },
      };
    },
  };
}

/** Where the shell says that it is, if that folder has been removed: a history is found by its path. */
function currentDirectory({ PWD = '' }: NodeJS.ProcessEnv): string {
  try {
    return process.cwd();
  } catch {
    return isAbsolute(PWD) ? PWD : '/';
  }
}
