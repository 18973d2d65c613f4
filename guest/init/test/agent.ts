import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ByteChannel } from '../../../protocol/init/byte-channel.ts';
import { type ExecOptions, InitClient } from '../../../protocol/init/init-client.ts';
import type { InitProcess } from '../../../protocol/init/init-process.ts';
import type { MachineProcessEvent, MachineProcessExit } from '../../../protocol/machine-process.ts';
import type { ExecRequest } from '../../../protocol/sandbox/processes.ts';
import { compileSanitized, sourcesIn } from '../../test/compile-sanitized.ts';

const sourceFolder = join(import.meta.dirname, '..');

/** A folder with the sanitised builds of init and of the frame test. Remove it when done. */
export function buildInit(): { init: string; frameTest: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-init-'));
  const init = join(folder, 'init');
  const frameTest = join(folder, 'frame-test');
  const compile = (output: string, sources: readonly string[]): void =>
    compileSanitized(output, { sources, include: sourceFolder });
  compile(init, sourcesIn(sourceFolder));
  const framing = ['frame.c', 'outbox.c', 'messages.c', 'exec-request.c'].map((name) =>
    join(sourceFolder, name),
  );
  compile(frameTest, [join(sourceFolder, 'test', 'frame-test.c'), ...framing]);
  return { init, frameTest, remove: () => rmSync(folder, { recursive: true }) };
}

/** init as an agent, with its byte stream on descriptor 3. */
export class Agent {
  readonly child: ChildProcess;
  readonly socket: Socket;
  readonly exited: Promise<number | null>;
  readonly logs: string[] = [];
  stderr = '';

  constructor(path: string) {
    this.child = spawn(path, ['--agent-fd', '3'], { stdio: ['ignore', 'ignore', 'pipe', 'pipe'] });
    this.socket = this.child.stdio[3] as Socket;
    this.socket.on('error', () => undefined);
    this.child.stderr?.on('data', (text: Buffer) => {
      this.stderr += text.toString();
    });
    this.exited = new Promise((resolve) => this.child.on('close', (code) => resolve(code)));
  }

  /** A client on the byte stream; the client before it, if any, hears nothing more. */
  connect(): InitClient {
    const channel: ByteChannel = {
      send: (bytes) =>
        new Promise((resolve, reject) => {
          this.socket.write(bytes, (error) => (error ? reject(error) : resolve()));
        }),
      receive: () => undefined,
    };
    const client = new InitClient(channel, { onLog: (text) => this.logs.push(text) });
    this.socket.removeAllListeners('data');
    this.socket.on('data', (bytes) => channel.receive(bytes));
    return client;
  }

  get pid(): number {
    const { pid } = this.child;
    if (pid === undefined) throw new Error('init was not started');
    return pid;
  }

  /** How many descriptors init holds. */
  openFiles(): number {
    return readdirSync(`/proc/${this.pid}/fd`).length;
  }

  /** Everything below init in the process tree. */
  descendants(): number[] {
    const found = [this.pid];
    for (const pid of found) found.push(...childrenOf(pid));
    return found.slice(1);
  }

  /** Hangs up and waits until init is gone. Answers its exit code: not 0 when a sanitiser spoke. */
  async stop(): Promise<number | null> {
    this.socket.destroy();
    return this.exited;
  }
}

export interface Run {
  readonly stdout: string;
  readonly stderr: string;
  readonly status: string;
  readonly exit: MachineProcessExit;
}

/** Starts a process and collects what it says. */
export async function start(
  client: InitClient,
  request: ExecRequest,
  options: ExecOptions = {},
): Promise<{ process: InitProcess; done: Promise<Run>; output: () => string }> {
  const text = { stdout: '', stderr: '', status: '' };
  const finished = Promise.withResolvers<Run>();
  const listener = (event: MachineProcessEvent): void => {
    if (event.type === 'exit') finished.resolve({ ...text, exit: event });
    else text[event.type] += Buffer.from(event.bytes).toString('latin1');
  };
  const process = await client.exec(request, listener, options);
  return { process, done: finished.promise, output: () => text.stdout };
}

/** Runs a process to its end. */
export async function run(
  client: InitClient,
  request: ExecRequest | string,
  options: ExecOptions = {},
): Promise<Run> {
  const { done } = await start(client, typeof request === 'string' ? { command: request } : request, options);
  return done;
}

/** Bytes of memory that a process occupies. */
export function residentBytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}

/** Between two looks: what is waited for has the processor meanwhile. */
const lookMs = 10;

/** Waits until `condition` holds; the test's own timeout is the limit. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, lookMs));
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
