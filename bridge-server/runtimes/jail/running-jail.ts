import type { Socket } from 'node:net';
import { SandboxError } from '../../../protocol/errors.ts';
import type { ByteChannel } from '../../../protocol/init/byte-channel.ts';
import { limits } from '../../../protocol/limits.ts';
import type { MachineUsage } from '../../../protocol/sandbox-report.ts';
import type { ObjectId } from '../../../tree/content/object-id.ts';
import type { Jail, JailEnd } from '../../contract.ts';
import { closeOf } from '../../programs/close-of.ts';
import type { ControlGroups } from './control-groups/control-groups.ts';
import type { JailLauncher } from './jail-launcher.ts';
import { mapsShared } from './maps-shared.ts';
import type { NotedJail } from './noted-jail.ts';
import { pidNamespaceOf } from './pid-namespace.ts';
import { socketChannel } from './socket-channel.ts';
import { hasId, isInNamespace, StoppedProcesses } from './stopped-processes.ts';
import { writtenByProcesses } from './written-by-processes.ts';

/** What a jail holds on the host until it has ended. */
export interface JailHoldings {
  /** Undefined where the host has none for us. */
  readonly groups: ControlGroups | undefined;
  /** Set for a jail without namespaces: whose all of its processes are. */
  readonly aloneId?: number | undefined;
  /** Undefined when it dies with us. */
  readonly noted: NotedJail | undefined;
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
  readonly #launcher: JailLauncher;
  readonly #socket: Socket;
  readonly #holdings: JailHoldings;
  readonly #freezer: Pick<ControlGroups, 'freeze' | 'thaw' | 'processes'>;
  readonly #present: () => Promise<readonly number[]>;
  #errors = '';
  #isFrozen = false;
  #isDisposed = false;
  #isLeft = false;

  /** `socket` is to its agent. Both are the jail's from now on. */
  constructor(launcher: JailLauncher, socket: Socket, holdings: JailHoldings) {
    this.#launcher = launcher;
    this.#socket = socket;
    this.#holdings = holdings;
    const { groups, aloneId } = holdings;
    const isInside = aloneId === undefined ? isInNamespace : (pid: number) => hasId(pid, aloneId);
    const stopped = StoppedProcesses.of(launcher, { isInside });
    this.#freezer = groups ?? stopped;
    this.#present = groups ? () => groups.processes() : () => stopped.present();
    this.channel = socketChannel(socket);
    launcher.errors?.setEncoding('utf8').on('data', (text: string) => {
      this.#errors = (this.#errors + text).slice(-limits.jailDiagnosticCharacters);
    });
    this.ended = this.#end();
  }

  get outlives(): boolean {
    return this.#holdings.noted !== undefined;
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

  usage(): MachineUsage {
    return this.#holdings.groups?.usage() ?? {};
  }

  async written(): Promise<ReadonlyMap<number, number | undefined>> {
    const { pid: launcher } = this.#launcher;
    return writtenByProcesses(await this.#present(), { launcher });
  }

  async pidNamespace(): Promise<number | undefined> {
    if (this.#holdings.aloneId !== undefined) return undefined;
    return pidNamespaceOf(await this.#present(), { launcher: this.#launcher.pid });
  }

  async kill(pids: readonly number[]): Promise<number> {
    if (pids.length === 0) return 0;
    // A number may be that of another process by now: those that are looked at last are killed at once.
    const inside = new Set(await this.#present());
    const killed = pids.filter((pid) => inside.has(pid));
    for (const pid of killed) killProcess(pid);
    return killed.length;
  }

  /** Whether PID 1, which has one thread, is all that is inside. */
  isAlone(): boolean {
    return this.#holdings.groups?.threadCount() === 1;
  }

  async mapsShared(): Promise<boolean> {
    const pids = await this.#freezer.processes();
    // There is init at least: a list without it is none.
    return pids.length === 0 || mapsShared(pids);
  }

  remember(trees: readonly ObjectId[]): void {
    this.#holdings.noted?.note({ trees });
  }

  leave(): void {
    this.#isLeft = true;
    this.#launcher.leave();
    this.#socket.destroy();
  }

  /** Kills everything inside. Resolves when all of it is gone. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isLeft) return;
    this.#isDisposed = true;
    this.#launcher.end();
    await this.ended;
  }

  async #end(): Promise<JailEnd> {
    const { code } = await this.#launcher.ended;
    if (this.#isLeft) return { reason: 'killed', message: 'The jail was left to another process' };
    // What is frozen does not die; nothing of it runs again, as its end is already on its way.
    await this.thaw().catch(() => undefined);
    const kills = this.outOfMemoryKills();
    const { errors } = this.#launcher;
    try {
      // What was said last may come after its end, but no later than this.
      await closed(errors ? [this.#socket, errors] : [this.#socket]);
      await this.#holdings.release();
      return this.#describe(code, kills);
    } catch (error) {
      // It keeps its ids and groups, which are not to become another's.
      const end = this.#describe(code, kills);
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

function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Resolves when PID 1, which holds the other ends, is gone, and with it everything inside. @throws timeout */
async function closed(sockets: readonly Socket[]): Promise<void> {
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    for (const socket of sockets) socket.destroy();
  }, limits.jailEndTimeoutMs);
  await Promise.all(sockets.map(closeOf));
  clearTimeout(timer);
  if (isLate)
    throw new SandboxError('timeout', `Something of it is not gone after ${limits.jailEndTimeoutMs} ms`);
}
