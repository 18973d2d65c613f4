import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { holdFolder } from '../bridge-server/main/hold-folder.ts';
import type { SandboxBackend } from '../protocol/sandbox/backend.ts';
import { shellBackend } from '../runtimes/shell/shell-backend.ts';
import { Sandbox } from '../sdk/sandbox.ts';
import type { CliContext } from './context.ts';
import { askedNetwork, networkText } from './place/host-choices.ts';
import { runCli } from './run-cli.ts';

/** A folder whose sandboxes are shells in this process, with streams that tests read and write. */
export interface TestCli extends AsyncDisposable {
  readonly folder: string;
  /** Of the folder, whether a command holds it or not. */
  readonly backend: SandboxBackend;
  /** More variables for commands that are begun from now on. */
  readonly environment: Record<string, string>;
  /** Runs one command line to its end. */
  run(...args: string[]): Promise<TestResult>;
  /** Begins one that goes on. */
  start(...args: string[]): TestRun;
}

export interface TestResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface TestRun {
  readonly ended: Promise<TestResult>;
  readonly stdin: PassThrough;
  /** Resolves once standard output, or `of`, has the text. */
  says(text: string, of?: 'stdout' | 'stderr'): Promise<void>;
  signal(signal: NodeJS.Signals): void;
}

/** With a sandbox `default` unless it is told that there is none; `below` lengthens the folder's path. `letGo` is part of letting go of the folder. `platform`: the folder is opened as on a host of that system. */
export async function openTestCli({
  isEmpty = false,
  below = '',
  platform,
  letGo = async () => undefined,
}: {
  readonly isEmpty?: boolean;
  readonly below?: string;
  readonly platform?: NodeJS.Platform;
  readonly letGo?: () => Promise<void>;
} = {}): Promise<TestCli> {
  const made = await mkdtemp(join(tmpdir(), 'coppice-cli-'));
  const folder = join(made, below);
  const backend = shellBackend();
  if (!isEmpty) await (await Sandbox.create({ backend, name: 'default' })).close();
  const more: Record<string, string> = {};
  const openFolder: CliContext['openFolder'] = async ({ networkAllow }) => {
    const network = networkText(askedNetwork({ allow: networkAllow }, more));
    const hold = holdFolder(folder);
    const { answersAt } = hold;
    return {
      type: 'folder',
      backend,
      name: folder,
      network,
      answersAt,
      [Symbol.asyncDispose]: async () => {
        hold[Symbol.dispose]();
        await letGo();
      },
    };
  };
  const start = (...args: string[]): TestRun => {
    const listeners = new Map<NodeJS.Signals, (signal: NodeJS.Signals) => void>();
    const aborting = new AbortController();
    const [stdin, stdout, stderr] = [new PassThrough(), new Kept(), new Kept()];
    const context: CliContext = {
      environment: { COPPICE_ROOT: folder, PATH: process.env.PATH, ...more },
      directory: folder,
      stdin,
      stdout,
      stderr,
      signal: aborting.signal,
      takeSignals: (signals, listener) => {
        for (const signal of signals) listeners.set(signal, listener);
        return {
          [Symbol.dispose]: () => {
            for (const signal of signals) listeners.delete(signal);
          },
        };
      },
      ...(platform === undefined ? { openFolder } : { platform }),
    };
    const ended = runCli(args, context).then((code) => ({ code, stdout: stdout.text, stderr: stderr.text }));
    return {
      ended,
      stdin,
      says: (text, of = 'stdout') => (of === 'stdout' ? stdout : stderr).until(text),
      signal: (signal) => {
        const listener = listeners.get(signal);
        if (listener) listener(signal);
        else aborting.abort();
      },
    };
  };
  return {
    folder,
    backend,
    environment: more,
    start,
    run: (...args) => {
      const run = start(...args);
      run.stdin.end();
      return run.ended;
    },
    [Symbol.asyncDispose]: () => rm(made, { recursive: true, force: true }),
  };
}

/** Keeps what it is written, and tells when there is what a test waits for. */
class Kept extends Writable {
  text = '';
  #waiting: { readonly for: string; readonly found: () => void }[] = [];

  until(text: string): Promise<void> {
    return new Promise((found) => {
      this.#waiting.push({ for: text, found });
      this.#look();
    });
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += bytes.toString();
    this.#look();
    done();
  }

  #look(): void {
    const found = this.#waiting.filter((each) => this.text.includes(each.for));
    this.#waiting = this.#waiting.filter((each) => !found.includes(each));
    for (const each of found) each.found();
  }
}
