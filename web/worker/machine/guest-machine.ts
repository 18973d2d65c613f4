import { listenAbort } from '../../../protocol/abort.ts';
import { SandboxError } from '../../../protocol/errors.ts';
import type { GoldenSession } from '../../../protocol/golden-session.ts';
import { InitClient, type InitHello } from '../../../protocol/init/init-client.ts';
import { limits } from '../../../protocol/limits.ts';
import type { Checkpoints, MachineImage, Tracking } from '../../../runtimes/v86/live/checkpoints.ts';
import { handDevices } from '../../../runtimes/v86/memory-image/handed-devices.ts';
import type { HandedMemory } from '../../../runtimes/v86/memory-image/handed-memory.ts';
import type { StartMemory } from '../../../runtimes/v86/memory-image/load-memory.ts';
import type { PrecopiedMachine } from '../../../runtimes/v86/memory-image/precopied-machine.ts';
import type { SealedMemory } from '../../../runtimes/v86/memory-image/seal-memory.ts';
import { rootMount } from '../../../runtimes/v86/root-mount.ts';
import { V86Machine, type V86MachineOptions } from '../../../runtimes/v86/v86-machine.ts';
import { type InitShell, initPorts, waitingShell } from '../../../sandbox/machine/init-ports.ts';
import type { FileChanger, PortConnector, ProcessStarter } from '../../../sandbox/machine/machine-ports.ts';
import type {
  RestoreOptions,
  RunningMachine,
  SealOptions,
  ShownTerminal,
  WaitingShell,
} from '../../../sandbox/machine/sandbox-machine.ts';
import type { LiveTree } from '../../../tree/live/live-tree.ts';
import type { TreeSnapshot } from '../../../tree/live/tree-snapshot.ts';
import { NinePServer } from '../../../tree/ninep/ninep-server.ts';
import type { NinePState } from '../../../tree/ninep/ninep-state.ts';
import { sessionState } from './golden-resume.ts';
import { GuestClock } from './guest-clock.ts';
import { timeline } from './timeline.ts';

/** What a machine is started from; the same for every start of a sandbox. */
export interface MachineParts extends Omit<V86MachineOptions, 'ninep' | 'memory'> {
  readonly hostname: string;
  /** What goes with the state that `start` restores; absent for a boot. */
  readonly session: GoldenSession | undefined;
  /** What was put ahead into the machine that will be started first, once. */
  readonly takeAhead?: () => PrecopiedMachine | undefined;
}

export interface GuestMachineOptions {
  readonly parts: MachineParts;
  /** Whether the golden shell may go on with this tree; otherwise the root is mounted afresh. */
  readonly resume?: boolean;
  /** What it goes on from: the tree is the one that was saved with it. */
  readonly memory?: StartMemory | undefined;
  /** Aborting ends the start, and the machine with it. */
  readonly signal?: AbortSignal | undefined;
  /** Called at most once, when the kernel stops by itself. */
  readonly onFailure: (error: SandboxError) => void;
}

/** What going back has cost. */
export interface Rewound {
  /** Pages that differed. */
  readonly pages: number;
  /** How long the machine stood still: all of it, until init was asked. */
  readonly pausedMs: number;
}

/** A guest at an instant: memory, processor, devices, open files and the tree go together or not at all (H-5). */
export interface GuestImage {
  readonly machine: MachineImage;
  readonly ninep: NinePState;
  readonly tree: TreeSnapshot;
  /** ms since 1970. */
  readonly takenAtMs: number;
  /** Shells that waited. */
  readonly shells: readonly InitShell[];
}

/** A guest as it was handed over. */
export interface HandedGuest {
  readonly image: GuestImage;
  readonly memory: HandedMemory;
}

const entropyBytes = 256;

/** A running guest on a tree: emulator, file server and init, started and let go of together. */
export class GuestMachine implements RunningMachine, AsyncDisposable {
  readonly init: InitClient;
  readonly processes: ProcessStarter;
  readonly files: FileChanger;
  readonly ports: PortConnector;
  readonly git: 'program';
  readonly ninep: NinePServer;
  readonly #machine: V86Machine;
  readonly #tree: LiveTree;
  readonly #hostname: string;
  readonly #clock: GuestClock;
  #failure: SandboxError | undefined;
  #shells: readonly InitShell[] = [];

  private constructor(parts: {
    machine: V86Machine;
    tree: LiveTree;
    hostname: string;
    ninep: NinePServer;
    init: InitClient;
  }) {
    this.#machine = parts.machine;
    this.#tree = parts.tree;
    this.#hostname = parts.hostname;
    this.ninep = parts.ninep;
    this.init = parts.init;
    const { processes, files, ports, git } = initPorts(parts.init);
    this.processes = processes;
    this.files = files;
    this.ports = ports;
    this.git = git;
    this.#clock = new GuestClock(parts.init);
  }

  /** Why the machine is no more, once it is. */
  get failure(): SandboxError | undefined {
    return this.#failure;
  }

  /**
   * Starts a machine whose root is `tree`, and waits for its init.
   * @throws timeout, machine-failed, version-mismatch; corrupt-object where v86 does not take its memory
   */
  static async start(tree: LiveTree, options: GuestMachineOptions): Promise<GuestMachine> {
    const { parts, memory, onFailure } = options;
    const ninep = new NinePServer(tree, { onFault: (error) => console.warn('9P:', error) });
    if (memory) ninep.restoreState(memory.image.ninep);
    else if (parts.session) ninep.restoreState(sessionState(parts.session, tree));
    const machine = await V86Machine.start({ ...parts, memory, ninep: (request) => ninep.handle(request) });
    performance.mark(timeline.runs);
    const init = new InitClient(machine.port, { takesOver: memory !== undefined });
    const guest = new GuestMachine({ machine, tree, hostname: parts.hostname, ninep, init });
    machine.onFailure = (error) => {
      guest.#failure = error;
      init.close(error);
      onFailure(error);
    };
    const unlisten = listenAbort(options.signal, () => init.close('the start was aborted'));
    try {
      const goesOn = memory !== undefined;
      const { attached } = await init.hello({ timeoutMs: limits.bootTimeoutMs, goesOn });
      // Nobody waits for it: init does what it is asked for in order.
      guest
        .#refresh()
        .catch((cause) => init.close(`it took no time or entropy: ${SandboxError.from(cause).message}`));
      const [shell] = attached;
      if (memory) guest.#shells = await guest.#waiting(attached, memory.image.terminals);
      else if (!parts.session) await init.mount(rootMount);
      else if (!options.resume || !shell) await guest.remount(() => undefined);
      else guest.#shells = [{ attached: shell, shown: fromBase64(parts.session.shown) }];
      return guest;
    } catch (cause) {
      await guest[Symbol.asyncDispose]();
      throw guest.#failure ?? cause;
    } finally {
      unlisten();
    }
  }

  takeShell(): WaitingShell | undefined {
    const [shell, ...others] = this.#shells;
    this.#shells = others;
    return shell && waitingShell(this.init, shell);
  }

  /** Gives the guest the right time and randomness of its own: a restored state has neither (H-7). */
  async #refresh(): Promise<void> {
    await Promise.all([
      this.init.setHostname(this.#hostname),
      this.#clock.set(),
      this.init.addEntropy(crypto.getRandomValues(new Uint8Array(entropyBytes))),
    ]);
  }

  /**
   * Everything as it is now, between two of the guest's instructions, at the cost of what changed
   * since the last one. Not to be called while output is received. @throws unsupported
   */
  checkpoint(): GuestImage {
    if (this.#machine.port.isReceiving) throw new TypeError('The guest is amid an instruction');
    const { ninep, tree } = { ninep: this.ninep.saveState(), tree: this.#tree.snapshot() };
    const machine = this.#machine.checkpoints.take();
    return { machine, ninep, tree, shells: this.#shells, takenAtMs: Date.now() };
  }

  /** Makes durable objects of an image, which is kept meanwhile; nothing where it is not known what the machine is. */
  async seal(
    { machine: image, ninep, shells, takenAtMs }: GuestImage,
    { terminals, ...options }: SealOptions,
  ): Promise<SealedMemory | undefined> {
    const all = withWaiting(terminals, shells);
    return this.#machine.sealer?.seal({ ...options, image, ninep, takenAtMs, terminals: all });
  }

  /**
   * Everything as it is now, for a machine in another worker to go on from, at the cost of what differs from what was
   * handed to it before, or from the state that both began with. Nothing where this one did not begin with one, or
   * more than `mostPages` differ. @throws unsupported
   */
  handOver(
    terminals: readonly ShownTerminal[],
    { after, mostPages }: { after?: HandedGuest | undefined; mostPages?: number | undefined } = {},
  ): HandedGuest | undefined {
    const image = this.checkpoint();
    const before = after?.image.machine;
    const ram = this.#machine.copyRam(image.machine, { from: before, mostPages });
    if (!ram) return undefined;
    const { machine, ninep, takenAtMs, shells } = image;
    const state = { ninep, takenAtMs, clockMs: machine.takenAtMs, terminals: withWaiting(terminals, shells) };
    const edition = after ? after.memory.edition + 1 : 0;
    const devices = handDevices(machine.devices, before?.devices);
    return { image, memory: { ...ram, ...state, devices, edition } };
  }

  /** The image that the next one is sealed against: it has to be kept. */
  get lastSealed(): MachineImage | undefined {
    return this.#machine.sealer?.last;
  }

  /** Whether there is `seal`. */
  get canSeal(): boolean {
    return this.#machine.canRewind && this.#machine.sealer !== undefined;
  }

  /** The oracle of `checkpoint`: how many pages were written without a mark. Reads all of RAM. */
  missedPages(): number {
    return this.#machine.checkpoints.countMissed();
  }

  /**
   * Puts everything back at once, at the cost of what differs; what ran then goes on. Resolves when init
   * has been told the time, and processes that it did not have have ended. @throws timeout, machine-failed
   */
  async rewind(
    { machine, ninep, tree, shells }: GuestImage,
    options: Partial<RestoreOptions> = {},
  ): Promise<Rewound> {
    const startMs = performance.now();
    const pages = this.#machine.checkpoints.rewind(machine);
    this.#machine.port.forget();
    this.init.forgetOutput();
    this.#tree.restore(tree);
    this.ninep.restoreState(ninep);
    options.onRestored?.();
    const timeoutMs = limits.remountTimeoutMs;
    const answered = this.init.hello({ timeoutMs, gone: 'checkout', goesOn: true });
    const pausedMs = performance.now() - startMs;
    const { attached } = await answered;
    await this.#refresh();
    const waited = shells.map((shell) => ({ ...shell, pid: shell.attached.pid }));
    const known = attached.flatMap(({ pid }) => {
      const shown = options.shown?.(pid);
      return shown ? [{ pid, shown }] : [];
    });
    this.#shells = await this.#waiting(attached, [...waited, ...known]);
    return { pages, pausedMs };
  }

  /** Those with these terminals among processes that nobody has; the others end. */
  async #waiting(attached: InitHello['attached'], terminals: readonly ShownTerminal[]): Promise<InitShell[]> {
    const shells: InitShell[] = [];
    for (const process of attached) {
      const terminal = process.pty ? terminals.find(({ pid }) => pid === process.pid) : undefined;
      if (terminal) shells.push({ attached: process, shown: terminal.shown, command: terminal.command });
      else await this.init.release(process);
    }
    return shells;
  }

  /** Whether there is `checkpoint`. */
  get canRewind(): boolean {
    return this.#machine.canRewind;
  }

  /** Images that were taken, and what they cost; nothing before the first. */
  get checkpoints(): Checkpoints | undefined {
    return this.#machine.openedCheckpoints;
  }

  get tracking(): Tracking {
    return this.#machine.tracking;
  }

  /** Kills every process, lets `change` alter the tree, and mounts it afresh (H-5). */
  async remount(change: () => void): Promise<void> {
    this.#shells = [];
    await this.init.unmount({ timeoutMs: limits.remountTimeoutMs });
    this.ninep.reset();
    change();
    await this.init.mount(rootMount, { timeoutMs: limits.remountTimeoutMs });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#clock[Symbol.dispose]();
    this.init.close('the machine was closed');
    await this.#machine[Symbol.asyncDispose]();
  }
}

/** The terminals that are open, and those of shells that wait. */
function withWaiting(
  terminals: readonly ShownTerminal[],
  shells: readonly InitShell[],
): HandedMemory['terminals'] {
  const waiting = shells.map(({ attached, shown, command }) => ({ pid: attached.pid, shown, command }));
  const others = waiting.filter(({ pid }) => !terminals.some((one) => one.pid === pid));
  return [...terminals, ...others].map(({ pid, shown, command }) => ({ pid, shown, command }));
}

function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
