import { V86 } from 'v86';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import { limitCompiledCode } from './compiled-code.ts';
import { ConsoleLog } from './console-log.ts';
import { type EmulatorInternals, emulatorInternals } from './emulator-internals.ts';
import { Devices } from './live/device-state.ts';
import { GuestRam } from './live/guest-ram.ts';
import { liveCpu } from './live/live-internals.ts';
import type { ModuleMarks } from './live/page-states.ts';
import { PageStates } from './live/page-states.ts';
import { PackedRam } from './memory-image/packed-ram.ts';
import { ramOfState, type SavedState, withoutCopy } from './memory-image/saved-state.ts';

/** Real-mode memory that the BIOS writes before a state is restored over it. */
const lowMemoryBytes = 0x100000;

/** What an emulator that has failed waits for the next turn, in which it does nothing. */
const failedTurnMs = 10;

/** `quiet`: the console is a slow serial line. `init_on_free`: freed pages are zero and so cost nothing to save. */
const kernelArguments = [
  'console=ttyS0',
  'quiet',
  'tsc=reliable',
  'mitigations=off',
  'random.trust_cpu=on',
  'init_on_free=1',
  'rdinit=/init',
].join(' ');

/** What v86 gives its module. */
interface V86Imports {
  readonly env: { readonly __indirect_function_table?: WebAssembly.Table };
}

/** What the kernel is booted from. */
export interface Kernel {
  readonly kernel: ArrayBuffer;
  readonly initramfs: ArrayBuffer;
}

/** What an emulator is made of. */
export interface EmulatorParts {
  /** Instantiates v86.wasm (version 0.5.462) with these imports; resolves to its exports. */
  readonly instantiate: (imports: object) => Promise<object>;
  readonly bios: ArrayBuffer;
  readonly vgaBios: ArrayBuffer;
  readonly memoryMiB: number;
}

/** v86, made and standing still: about to boot, or to be put at a saved state. Making one takes a tenth of a second. */
export class Emulator implements AsyncDisposable {
  readonly v86: V86;
  readonly internals: EmulatorInternals;
  readonly console: ConsoleLog = new ConsoleLog();
  /** Answers a 9P request at once; the reply is read before the next call. */
  ninep: (request: Uint8Array) => Uint8Array = () => new Uint8Array(0);

  /** Called once, when v86 throws while it runs the machine: that stands still from then on, and can be disposed of. */
  onFailure: (cause: unknown) => void = () => {};

  #isRestored = false;
  #restored: PackedRam | undefined;
  #devices: Devices | undefined;
  #pages: PageStates | undefined;
  #table: WebAssembly.Table | undefined;

  private constructor(make: (ninep: Emulator['ninep'], onImports: (imports: V86Imports) => void) => V86) {
    this.v86 = make(
      (request) => this.ninep(request),
      ({ env }) => {
        this.#table = env.__indirect_function_table;
      },
    );
    this.v86.add_listener('serial0-output-byte', (byte: number) => this.console.push(byte));
    this.internals = this.v86 as unknown as EmulatorInternals;
  }

  /** Whether it was put at a state. */
  get isRestored(): boolean {
    return this.#isRestored;
  }

  /** RAM of the state that it was put at: a view of that state, which is large. */
  get restored(): PackedRam | undefined {
    return this.#restored;
  }

  /** The same, for who is the last to look at it. */
  takeRestored(): PackedRam | undefined {
    const taken = this.#restored;
    this.#restored = undefined;
    return taken;
  }

  /** What is known of its pages, once it is watched. */
  get pages(): PageStates | undefined {
    return this.#pages;
  }

  /** Knows which pages are written from now on, unless it does; `written`: those that may not be zero. It stands still. */
  watch(marks: ModuleMarks, written: () => Iterable<number>): PageStates {
    if (this.#pages) return this.#pages;
    if (!this.#table) throw new TypeError('This version of v86 has no table of functions');
    const cpu = liveCpu(this.v86);
    const watched = { ram: new GuestRam(cpu), marks, table: this.#table, written: written() };
    this.#pages = new PageStates(cpu, watched);
    return this.#pages;
  }

  /** Everything of it but its RAM. */
  get devices(): Devices {
    this.#devices ??= new Devices(liveCpu(this.v86));
    return this.#devices;
  }

  /**
   * `boot`: what it boots once it runs; without, it waits for a state.
   * @throws machine-failed where v86 cannot be made, as for want of memory
   */
  static async open(parts: EmulatorParts, { boot }: { boot?: Kernel | undefined } = {}): Promise<Emulator> {
    const loaded = Promise.withResolvers<void>();
    const fail = (cause: unknown) =>
      loaded.reject(new SandboxError('machine-failed', 'Cannot make the emulator', { cause }));
    // v86 goes on waiting for a module that cannot be had, and tells nobody.
    const instantiate = (imports: object) =>
      parts.instantiate(imports).catch((cause: unknown) => {
        fail(cause);
        return new Promise<never>(() => {});
      });
    const made = { ...parts, instantiate };
    const emulator = new Emulator((ninep, onImports) => new V86(options(made, { boot, ninep, onImports })));
    emulator.v86.add_listener('emulator-loaded', () => loaded.resolve());
    const timer = setTimeout(() => fail(new RangeError('It was not loaded in time')), limits.bootTimeoutMs);
    await loaded.promise.finally(() => clearTimeout(timer));
    const internals = emulatorInternals(emulator.v86); // Which says what this v86 lacks.
    limitCompiledCode(internals);
    emulator.#watchFailure(internals.v86);
    return emulator;
  }

  /**
   * Puts a new machine at a saved state. v86 zeroes all of RAM before it unpacks one, which touches every
   * page of it. RAM of a fresh machine is zero but for what the BIOS image put below 1 MiB, so zeroing
   * that is enough. `leavesRam`: RAM stays zero, for who puts `restored` there.
   * @throws version-mismatch, corrupt-object
   */
  async restore(state: SavedState, { leavesRam = false }: { leavesRam?: boolean } = {}): Promise<void> {
    const { bytes, stored } = state;
    if (!leavesRam) stored?.readAll();
    const ram = ramOfState(bytes);
    const { cpu } = this.internals.v86;
    const zeroAll = cpu.zero_memory;
    cpu.zero_memory = (address, sizeBytes) => zeroAll.call(cpu, address, Math.min(sizeBytes, lowMemoryBytes));
    const unpack = cpu.unpack_memory;
    cpu.unpack_memory = (bitmap, copied) => {
      const pages = ram ? new Uint8Array(bytes, ram.at, ram.sizeBytes) : copied;
      this.#isRestored = true;
      this.#restored = new PackedRam(new Uint8Array(bitmap.get_buffer()), pages, state);
      if (leavesRam) cpu.zero_memory(0, lowMemoryBytes);
      else unpack.call(cpu, bitmap, pages);
    };
    try {
      let restored: Promise<void> | undefined;
      const restore = () => {
        restored = this.v86.restore_state(bytes);
      };
      if (ram) withoutCopy(bytes, ram, restore);
      else restore();
      await restored;
    } catch (cause) {
      const message = 'Cannot restore the machine state: this v86 does not read it';
      throw new SandboxError('version-mismatch', message, { cause });
    } finally {
      cpu.zero_memory = zeroAll;
      cpu.unpack_memory = unpack;
    }
  }

  /** v86 runs in turns, and `destroy` waits for one: a turn that throws would be its last, and nobody told. */
  #watchFailure({ cpu }: EmulatorInternals['v86']): void {
    const run = cpu.main_loop;
    let hasFailed = false;
    cpu.main_loop = () => {
      if (hasFailed) return failedTurnMs;
      try {
        return run.call(cpu);
      } catch (cause) {
        hasFailed = true;
        this.onFailure(cause);
        return failedTurnMs;
      }
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.v86.destroy();
  }
}

function options(
  parts: EmulatorParts,
  {
    boot,
    ninep,
    onImports,
  }: { boot: Kernel | undefined; ninep: Emulator['ninep']; onImports: (imports: V86Imports) => void },
): ConstructorParameters<typeof V86>[0] {
  return {
    wasm_fn: (imports: V86Imports) => {
      onImports(imports);
      return parts.instantiate(imports);
    },
    memory_size: parts.memoryMiB * 1024 * 1024,
    vga_memory_size: 1024 * 1024,
    // v86 keeps what it is given: every machine gets a copy.
    bios: { buffer: parts.bios.slice(0) },
    vga_bios: { buffer: parts.vgaBios.slice(0) },
    ...(boot
      ? { bzimage: { buffer: boot.kernel }, initrd: { buffer: boot.initramfs }, cmdline: kernelArguments }
      : {}),
    filesystem: {
      handle9p: (request: Uint8Array, reply: (bytes: Uint8Array) => void) => reply(ninep(request)),
    },
    virtio_console: { type: 'none' },
    disable_speaker: true,
    disable_keyboard: true,
    disable_mouse: true,
    acpi: false,
    fastboot: true,
    autostart: false,
  } as ConstructorParameters<typeof V86>[0];
}
