import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { SandboxError } from '../../../protocol/errors.ts';
import type { ByteChannel } from '../../../protocol/init/byte-channel.ts';
import { limits } from '../../../protocol/limits.ts';
import type { Jail, JailEnd } from '../../contract.ts';
import type { ControlGroups } from './control-groups/control-groups.ts';
import { socketChannel } from './socket-channel.ts';
import { StoppedProcesses } from './stopped-processes.ts';

/** What a jail holds on the host until it has ended. */
export interface JailHoldings {
  /** Undefined where the host has none for us. */
  readonly groups: ControlGroups | undefined;
  /** Lets go of all of it. */
  readonly release: () => Promise<void>;
}

/** As of a shell: 128 and the number of the signal. */
const killedExitCode = 128 + 9;

/** A jail whose launcher runs. Ends when its PID 1 or its launcher does; `ended` resolves when all of it is gone. */
export class RunningJail implements Jail {
  readonly channel: ByteChannel;
  readonly ended: Promise<JailEnd>;
  landlockAbi = 0;
  readonly #child: ChildProcess;
  readonly #holdings: JailHoldings;
  readonly #freezer: Pick<ControlGroups, 'freeze' | 'thaw'>;
  #errors = '';
  #isFrozen = false;
  #isDisposed = false;

  constructor(child: ChildProcess, holdings: JailHoldings) {
    this.#child = child;
    this.#holdings = holdings;
    this.#freezer = holdings.groups ?? new StoppedProcesses(child.pid ?? 0);
    const socket = child.stdio[3] as Socket;
    this.channel = socketChannel(socket);
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#errors = (this.#errors + text).slice(-limits.jailDiagnosticCharacters);
    });
    this.ended = this.#end(socket);
  }

  async freeze(): Promise<void> {
    this.#isFrozen = true;
    try {
      await this.#freezer.freeze();
    } catch (error) {
      await this.thaw();
      throw error;
    }
  }

  async thaw(): Promise<void> {
    if (!this.#isFrozen) return;
    await this.#freezer.thaw();
    this.#isFrozen = false;
  }

  /** Processes inside that the kernel has killed since the start for lack of memory. */
  outOfMemoryKills(): number {
    return this.#holdings.groups?.outOfMemoryKills() ?? 0;
  }

  /** Kills everything inside. Resolves when all of it is gone. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    this.#child.kill('SIGKILL');
    await this.ended;
  }

  async #end(socket: Socket): Promise<JailEnd> {
    const code = await exitOf(this.#child);
    // What is frozen does not die; nothing of it runs again, as its end is already on its way.
    await this.thaw().catch(() => undefined);
    const kills = this.outOfMemoryKills();
    const end = this.#describe(code, kills);
    try {
      await closed(socket);
      await this.#holdings.release();
      return end;
    } catch (error) {
      // It keeps its ids and groups, which are not to become another's.
      return { ...end, message: `${end.message}. ${SandboxError.from(error).message}` };
    }
  }

  #describe(code: number | undefined, kills: number): JailEnd {
    const said = this.#errors.trim();
    if (this.#isDisposed) return { reason: 'killed', message: 'The jail was closed' };
    if (kills > 0 && code === killedExitCode) {
      return { reason: 'out-of-memory', message: 'The jail used more memory than it may' };
    }
    if (code === undefined || code === killedExitCode) {
      return { reason: 'killed', message: said || 'The jail was killed' };
    }
    return { reason: 'exited', message: said || `The jail has ended (${code})` };
  }
}

/** Resolves when PID 1, which holds the other end, is gone, and with it everything inside. @throws timeout */
async function closed(socket: Socket): Promise<void> {
  if (socket.closed) return;
  const close = once(socket.resume(), 'close').catch(() => undefined);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    socket.destroy();
  }, limits.jailEndTimeoutMs);
  await close;
  clearTimeout(timer);
  if (isLate)
    throw new SandboxError('timeout', `Something of it is not gone after ${limits.jailEndTimeoutMs} ms`);
}

/** The exit code, or undefined when a signal ended it or it never ran. */
async function exitOf(child: ChildProcess): Promise<number | undefined> {
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  child.once('error', () => {
    if (child.pid === undefined) resolve(undefined);
  });
  child.once('exit', (code) => resolve(code ?? undefined));
  return promise;
}
