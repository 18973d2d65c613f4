import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import { type PageKernels, pageBytes } from '../../wasm/pages/page-kernels.ts';
import { AgentPort } from './agent-port.ts';
import type { ConsoleLog } from './console-log.ts';
import { Emulator, type EmulatorParts, type Kernel } from './emulator.ts';
import { Checkpoints, type MachineImage, type Tracking, trackingBy } from './live/checkpoints.ts';
import { GuestRam } from './live/guest-ram.ts';
import { LazyRam, noPages, type PageContents } from './live/lazy-ram.ts';
import { liveCpu } from './live/live-internals.ts';
import type { ModuleMarks, PageStates } from './live/page-states.ts';
import { BlockCodec } from './memory-image/block-codec.ts';
import { copyPages, type HandedMemory } from './memory-image/handed-memory.ts';
import type { StartMemory } from './memory-image/load-memory.ts';
import type { MemoryOrigin } from './memory-image/memory-image.ts';
import { firstPages, overlaid, putMachine, putRam } from './memory-image/resume.ts';
import type { SavedState } from './memory-image/saved-state.ts';
import { MemorySealer } from './memory-image/seal-memory.ts';

/** How the kernel comes to run: from its first instruction, or from a saved state. */
export type MachineStart =
  | ({ readonly type: 'boot' } & Kernel)
  /** The state may still be on its way while the emulator is made. `takeSpare`: one that was put at it before, once. */
  | {
      readonly type: 'restore';
      readonly state: SavedState | (() => Promise<SavedState>);
      readonly takeSpare?: () => Emulator | undefined;
    };

export interface V86MachineOptions extends EmulatorParts {
  /** Where that module leaves marks (`watchWrites`); without, all of RAM is compared for each checkpoint. */
  readonly marks?: ModuleMarks | undefined;
  /** The page kernels on a machine's memory; without, it cannot be rewound. */
  readonly openKernels?: ((memory: object) => PageKernels) | undefined;
  readonly start: MachineStart;
  /** What it is, for images of its memory that are stored; without, there are none. */
  readonly origin?: MemoryOrigin | undefined;
  /** An image of such a machine: it goes on from that. */
  readonly memory?: StartMemory | undefined;
  /** Answers a 9P request at once; the reply is read before the next call. */
  readonly ninep: (request: Uint8Array) => Uint8Array;
}

/**
 * One running x86 machine. Owns the emulator; `ready` machines run until disposed. A kernel that
 * panics, halts or reboots, and an emulator that fails, are told once through `onFailure`, and end the machine.
 */
export class V86Machine implements AsyncDisposable {
  readonly port: AgentPort;
  readonly console: ConsoleLog;
  onFailure: (error: SandboxError) => void = () => {};
  readonly #emulator: Emulator;
  readonly #live: Pick<V86MachineOptions, 'marks' | 'openKernels'>;
  #checkpoints: Checkpoints | undefined;
  readonly #origin: MemoryOrigin | undefined;
  /** Until there is a sealer, which asks what of it is stored. */
  #memory: StartMemory | undefined;
  #sealer: MemorySealer | undefined;
  #late: LazyRam | undefined;
  #damage: SandboxError | undefined;
  #opening: ReturnType<typeof setTimeout> | undefined;
  #disposed: Promise<void> | undefined;

  private constructor(
    emulator: Emulator,
    { port, console }: Pick<V86Machine, 'port' | 'console'>,
    options: Pick<V86MachineOptions, 'marks' | 'openKernels' | 'origin' | 'memory'>,
  ) {
    this.#emulator = emulator;
    this.#origin = options.origin;
    if (options.origin) this.#memory = options.memory;
    this.#live = { marks: options.marks, openKernels: options.openKernels };
    this.port = port;
    this.console = console;
    console.onStop = (reason) => {
      const message = `The machine stopped: ${reason}`;
      // What is left of it would spin for ever, or wait in the BIOS.
      this.#fail(new SandboxError('machine-failed', message, { details: { reason } }));
    };
    emulator.onFailure = (cause) =>
      this.#fail(new SandboxError('machine-failed', 'The emulator failed', { cause }));
  }

  /**
   * Resolves when the machine runs (not when its init answers).
   * @throws version-mismatch, and what a `state` that is on its way rejects with; corrupt-object for a
   * memory image that v86 does not take
   */
  static async start(options: V86MachineOptions): Promise<V86Machine> {
    const { start, memory, marks } = options;
    const spare = start.type === 'restore' ? start.takeSpare?.() : undefined;
    const emulator =
      spare ?? (await Emulator.open(options, { boot: start.type === 'boot' && !memory ? start : undefined }));
    const { internals, console: log } = emulator;
    emulator.ninep = options.ninep;
    const isLate = marks !== undefined && !spare;
    try {
      if (start.type === 'restore' && !spare)
        await emulator.restore(await stateOf(start), { leavesRam: isLate });
      if (memory) resume(emulator, memory, { isLate });
    } catch (error) {
      await emulator[Symbol.asyncDispose]();
      throw error;
    }
    const port = new AgentPort(internals, { open: start.type === 'restore' || memory !== undefined });
    const machine = new V86Machine(emulator, { port, console: log }, options);
    try {
      if (marks && (memory || emulator.isRestored))
        machine.#watch(overlaid(emulator.restored ?? noPages, memory?.pages ?? noPages), { marks, isLate });
      await emulator.v86.run();
      if (!isLate) machine.#openCheckpointsSoon();
      return machine;
    } catch (error) {
      await machine[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Devices and RAM as v86 saves them. The machine is paused meanwhile; no 9P request may be under way. */
  async saveState(): Promise<ArrayBuffer> {
    this.#late?.fill();
    await this.#emulator.v86.stop();
    const state = await this.#emulator.v86.save_state();
    await this.#emulator.v86.run();
    return state;
  }

  /**
   * Images of the machine as it runs, and the way back to them. The first call puts all of RAM there; it reads all of
   * it where nobody has watched it from the start.
   * @throws unsupported without page kernels; corrupt-object where a page could not be had
   */
  get checkpoints(): Checkpoints {
    this.#checkpoints ??= this.#openCheckpoints();
    return this.#checkpoints;
  }

  /** The same, once they are open. */
  get openedCheckpoints(): Checkpoints | undefined {
    return this.#checkpoints;
  }

  /** How checkpoints know which pages the guest has written. */
  get tracking(): Tracking {
    return trackingBy(this.#live.marks);
  }

  /** Makes durable objects of `checkpoints`; nothing where it is not known what the machine is. */
  get sealer(): MemorySealer | undefined {
    const { openKernels } = this.#live;
    if (!this.#origin || !openKernels || this.#sealer) return this.#sealer;
    this.#sealer = new MemorySealer({
      origin: this.#origin,
      codec: new BlockCodec(openKernels),
      pages: {
        content: (id) => this.checkpoints.pageContent(id),
        isSame: (a, b) => this.checkpoints.isSamePage(a, b),
      },
      first: firstPages(this.#emulator, this.#memory),
    });
    this.#memory = undefined;
    return this.#sealer;
  }

  /**
   * RAM as it is now, as what differs from the image `from`, or from the state that such machines begin with; `image`
   * was taken of it just now. Nothing where it was not put at one, or it is not known what it is, or of more than
   * `mostPages`.
   */
  copyRam(
    image: MachineImage,
    {
      from,
      mostPages = Number.POSITIVE_INFINITY,
    }: { from?: MachineImage | undefined; mostPages?: number | undefined } = {},
  ): Pick<HandedMemory, 'origin' | 'pages' | 'contents'> | undefined {
    const { sealer } = this;
    if (!sealer || this.#origin?.golden === undefined) return undefined;
    const pages = sealer.differing(image, from);
    if (pages.length > mostPages) return undefined;
    this.#late?.fill();
    const contents = copyPages(new GuestRam(liveCpu(this.#emulator.v86)), pages);
    return { origin: this.#origin, pages, contents };
  }

  /** Whether there is `checkpoints`. */
  get canRewind(): boolean {
    return this.#live.openKernels !== undefined;
  }

  /** How many instructions the guest has run, modulo 2³². */
  instructions(): number {
    return this.#emulator.v86.get_instruction_counter();
  }

  #openCheckpoints(): Checkpoints {
    const { marks, openKernels } = this.#live;
    if (!openKernels) {
      const message = 'Cannot save the machine as it runs: there are no page kernels';
      throw new SandboxError('unsupported', message, { details: { feature: 'live snapshots' } });
    }
    this.#late?.fill();
    if (this.#damage) throw this.#damage;
    const cpu = liveCpu(this.#emulator.v86);
    const ram = new GuestRam(cpu);
    const kernels = openKernels(cpu.wasm_memory);
    // To begin with, all of it counts as zero.
    const isZero = (page: number) => kernels.isZero(ram.offset + page * pageBytes) === 1;
    const states = marks && this.#emulator.watch(marks, () => ram.numbers());
    states?.forget(states.list().filter(isZero));
    const watched = states && { states, late: this.#lateRam(states) };
    return new Checkpoints(cpu, { ram, devices: this.#emulator.devices, kernels, watched });
  }

  /** The first image is taken ahead, of machines that are watched from the start. */
  #openCheckpointsSoon(): void {
    const { marks, openKernels } = this.#live;
    if (!marks || !openKernels || !this.#emulator.isRestored) return;
    this.#opening = setTimeout(() => {
      if (this.#disposed || this.#damage) return;
      try {
        this.#checkpoints ??= this.#openCheckpoints();
      } catch {
        // Told to who asks for them.
      }
    }, limits.firstImageDelayMs);
  }

  /** Knows what is written from now on; the machine stands still, with `contents` as its RAM, which may come late. */
  #watch(contents: PageContents, { marks, isLate }: { marks: ModuleMarks; isLate: boolean }): void {
    const states = this.#emulator.watch(marks, () => (isLate ? [] : contents.keys()));
    if (!isLate) return;
    const ram = new GuestRam(liveCpu(this.#emulator.v86));
    const pages = Uint32Array.from(contents.keys());
    const put = (page: number) => {
      const content = contents.get(page);
      if (content) ram.page(page).set(content);
      states.note([page]);
    };
    this.#lateRam(states).expect(
      { pages, put },
      {
        delayMs: limits.lateRamDelayMs,
        beforeRest: () => this.#emulator.restored?.firstIsOver(),
        afterRest: () => this.#openCheckpointsSoon(),
      },
    );
  }

  #lateRam(states: PageStates): LazyRam {
    states.onDamage = (cause) => this.#damaged(cause);
    this.#late ??= new LazyRam(states);
    return this.#late;
  }

  /** What it does from now on reaches nobody: it has zeros where it had something else, or an image of it has. */
  #damaged(cause: unknown): void {
    this.#emulator.ninep = () => new Uint8Array(0);
    this.#damage = SandboxError.from(cause);
    this.#fail(this.#damage);
  }

  #fail(error: SandboxError): void {
    this.onFailure(error);
    void this[Symbol.asyncDispose]();
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#disposed ??= (async () => {
      this.port[Symbol.dispose]();
      clearTimeout(this.#opening);
      this.#late?.[Symbol.dispose]();
      this.#checkpoints?.[Symbol.dispose]();
      this.onFailure = () => {};
      await this.#emulator[Symbol.asyncDispose]();
    })();
    return this.#disposed;
  }
}

function stateOf({ state }: Extract<MachineStart, { type: 'restore' }>): SavedState | Promise<SavedState> {
  return typeof state === 'function' ? state() : state;
}

function resume(emulator: Emulator, memory: StartMemory, { isLate }: { isLate: boolean }): void {
  try {
    putRam(emulator, isLate ? noPages : memory.pages);
    putMachine(emulator, memory);
  } catch (cause) {
    const message = 'Cannot start the machine from its memory: the emulator does not take it';
    throw new SandboxError('corrupt-object', message, { cause });
  }
}
