import { spawn } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { constants } from 'node:os';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import { LostProgram } from './lost-program.ts';
import type { Program, ProgramEnd, StartOptions } from './program.ts';
import {
  greeting,
  type SpawnFrame,
  SpawnFrames,
  signalFrame,
  spawnFrames,
  startFrame,
} from './spawn-frames.ts';

/** A program that was asked for and has not ended. */
interface Running {
  /** Once it runs. */
  pid: number | undefined;
  /** When the spawner has died, and not the program. */
  lost: LostProgram | undefined;
  readonly began: (pid: number | undefined) => void;
  readonly end: (end: ProgramEnd) => void;
}

/** The descriptor of guest/spawn that frames go through. */
const control = 3;

/**
 * A small process that starts programs: a fork of this one would copy the page tables of all that it
 * holds, and stop it for milliseconds. Owns the process, and not what that has started.
 */
export class Spawner implements AsyncDisposable {
  /** Resolves with why, when it starts nothing more. */
  readonly closed: Promise<string>;
  readonly #socket: Socket;
  readonly #frames = new SpawnFrames();
  readonly #running = new Map<number, Running>();
  readonly #listens = Promise.withResolvers<string>();
  readonly #close = Promise.withResolvers<string>();
  #address = '';
  #lastId = 0;
  #isClosed = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.closed = this.#close.promise;
    socket.on('data', (bytes: Buffer) => this.#accept(bytes));
    socket.on('error', () => undefined); // Its close follows.
    socket.once('close', () => this.#end('the program that starts them has ended'));
  }

  /** The abstract name that it listens to. No secret: it asks the kernel who comes. */
  get address(): string {
    return this.#address;
  }

  /** @throws unsupported when the program does not run */
  static async open(path: string): Promise<Spawner> {
    // In a session of its own: what a terminal sends to this process is not for what it has started.
    const child = spawn(path, [], {
      stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
      env: {},
      cwd: '/',
      detached: true,
    });
    const failed = new Promise<string>((resolve) => {
      child.once('error', ({ message }) => resolve(message));
    });
    const spawner = new Spawner(child.stdio[control] as unknown as Socket);
    const timer = setTimeout(() => spawner.#socket.destroy(), limits.spawnerStartTimeoutMs);
    const said = await Promise.race([spawner.#listens.promise, failed, spawner.closed]);
    clearTimeout(timer);
    if (spawner.#address !== '') return spawner;
    child.kill('SIGKILL');
    throw new SandboxError('unsupported', `Cannot start ${path}: ${said}`, {
      details: { feature: 'spawner' },
    });
  }

  start(command: readonly [string, ...string[]], options: StartOptions): Program {
    const id = ++this.#lastId;
    const { promise: pid, resolve: began } = Promise.withResolvers<number | undefined>();
    const { promise: ended, resolve: end } = Promise.withResolvers<ProgramEnd>();
    const sockets = options.descriptors.map(() => connect({ path: this.#address }));
    for (const socket of sockets) socket.on('error', () => undefined);
    let isAsked = false;
    let hasEnded = false;
    const running: Running = {
      pid: undefined,
      lost: undefined,
      began: (started) => {
        running.pid = started;
        began(started);
      },
      end: (how) => {
        hasEnded = true;
        this.#running.delete(id);
        began(undefined);
        end(how);
      },
    };
    this.#running.set(id, running);
    const ask = async (): Promise<void> => {
      await Promise.all(sockets.map((socket, place) => greet(socket, greeting(id, place))));
      if (hasEnded) return;
      isAsked = true;
      this.#socket.write(startFrame(id, command, options));
    };
    if (this.#isClosed) this.#running.get(id)?.end({ failure: 'nothing starts programs any more' });
    ask().catch((error: Error) => this.#running.get(id)?.end({ failure: error.message }));
    return {
      sockets,
      pid,
      ended,
      get hasEnded() {
        return hasEnded;
      },
      kill: (signal) => {
        if (hasEnded) return;
        if (this.#isClosed) running.lost?.kill(signal).catch((error) => console.warn('Not ended:', error));
        else if (isAsked) this.#socket.write(signalFrame(id, constants.signals[signal]));
        else this.#running.get(id)?.end({ signal });
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.destroy();
    await this.closed;
  }

  #accept(bytes: Buffer): void {
    try {
      for (const frame of this.#frames.push(bytes)) this.#take(frame);
    } catch (error) {
      this.#socket.destroy(error as Error);
    }
  }

  #take({ kind, id, body }: SpawnFrame): void {
    const running = this.#running.get(id);
    if (kind === spawnFrames.listens) {
      this.#address = body.toString('latin1');
      this.#listens.resolve(this.#address);
    } else if (kind === spawnFrames.started) running?.began(body.readUInt32LE(0));
    else if (kind === spawnFrames.failed) running?.end({ failure: body.toString() });
    else if (kind === spawnFrames.ended) running?.end(endOf(body.readUInt32LE(0)));
  }

  #end(why: string): void {
    this.#isClosed = true;
    for (const running of [...this.#running.values()]) this.#lose(running, why);
    this.#close.resolve(why);
  }

  /** What has started goes on: its end is its own. */
  #lose(running: Running, why: string): void {
    if (running.pid === undefined) {
      running.end({ failure: why });
      return;
    }
    running.lost = new LostProgram(running.pid);
    void running.lost.ended().then(running.end);
  }
}

/** Resolves when the kernel has the bytes, and whoever accepts the connection can read them. */
async function greet(socket: Socket, bytes: Buffer): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}

/** As waitpid(2) tells it. */
function endOf(status: number): ProgramEnd {
  const number = status & 0x7f;
  if (number === 0) return { code: (status >>> 8) & 0xff };
  const [signal] = Object.entries(constants.signals).find(([, value]) => value === number) ?? [];
  return { signal: (signal ?? 'SIGKILL') as NodeJS.Signals };
}
