import { V86 } from 'v86';
import { SandboxError } from '../../../protocol/errors.ts';
import { AgentPort } from './agent-port.ts';
import { ConsoleLog } from './console-log.ts';
import { emulatorInternals } from './emulator-internals.ts';
import { Checkpoints } from './live/checkpoints.ts';
import { GuestRam } from './live/guest-ram.ts';
import { liveCpu } from './live/live-internals.ts';
import type { ModuleMarks } from './live/watch-writes.ts';
import { MarkedPages } from './live/written-pages.ts';

/** Real-mode memory that the BIOS writes before a state is restored over it. */
const lowMemoryBytes = 0x100000;

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

/** How the kernel comes to run: from its first instruction, or from a saved state. */
export type MachineStart =
  | { readonly type: 'boot'; readonly kernel: ArrayBuffer; readonly initramfs: ArrayBuffer }
  /** The state may still be on its way while the emulator is made. */
  | { readonly type: 'restore'; readonly state: ArrayBuffer | Promise<ArrayBuffer> };

export interface V86MachineOptions {
  /** Instantiates v86.wasm (version 0.5.462) with these imports; resolves to its exports. */
  readonly instantiate: (imports: object) => Promise<object>;
  /** Where that module leaves marks (`watchWrites`); without, the machine cannot be rewound. */
  readonly marks?: ModuleMarks | undefined;
  readonly bios: ArrayBuffer;
  readonly vgaBios: ArrayBuffer;
  readonly memoryMiB: number;
  readonly start: MachineStart;
  /** Answers a 9P request at once; the reply is read before the next call. */
  readonly ninep: (request: Uint8Array) => Uint8Array;
}

/**
 * One running x86 machine. Owns the emulator; `ready` machines run until disposed. A kernel that
 * panics, halts or reboots is told once through `onFailure`, and ends the machine.
 */
export class V86Machine implements AsyncDisposable {
  readonly port: AgentPort;
  readonly console: ConsoleLog;
  onFailure: (error: SandboxError) => void = () => {};
  readonly #emulator: V86;
  readonly #marks: V86MachineOptions['marks'];
  #checkpoints: Checkpoints | undefined;
  #disposed: Promise<void> | undefined;

  private constructor(
    emulator: V86,
    { port, console, marks }: Pick<V86Machine, 'port' | 'console'> & Pick<V86MachineOptions, 'marks'>,
  ) {
    this.#emulator = emulator;
    this.#marks = marks;
    this.port = port;
    this.console = console;
    console.onStop = (reason) => {
      const message = `The machine stopped: ${reason}`;
      this.onFailure(new SandboxError('machine-failed', message, { details: { reason } }));
      // What is left of it would spin for ever, or wait in the BIOS.
      void this[Symbol.asyncDispose]();
    };
  }

  /**
   * Resolves when the machine runs (not when its init answers).
   * @throws version-mismatch, and what a `state` that is on its way rejects with
   */
  static async start(options: V86MachineOptions): Promise<V86Machine> {
    const { start } = options;
    const log = new ConsoleLog();
    const emulator = new V86({
      wasm_fn: (imports: object) => options.instantiate(imports),
      memory_size: options.memoryMiB * 1024 * 1024,
      vga_memory_size: 1024 * 1024,
      bios: { buffer: options.bios },
      vga_bios: { buffer: options.vgaBios },
      ...(start.type === 'boot'
        ? { bzimage: { buffer: start.kernel }, initrd: { buffer: start.initramfs }, cmdline: kernelArguments }
        : {}),
      filesystem: { handle9p: (request, reply) => reply(options.ninep(request)) },
      virtio_console: { type: 'none' },
      disable_speaker: true,
      disable_keyboard: true,
      disable_mouse: true,
      acpi: false,
      fastboot: true,
      autostart: false,
    } as ConstructorParameters<typeof V86>[0]);
    emulator.add_listener('serial0-output-byte', (byte: number) => log.push(byte));
    await new Promise<void>((resolve) => emulator.add_listener('emulator-loaded', () => resolve()));
    const internals = emulatorInternals(emulator);
    const port = new AgentPort(internals, { open: start.type === 'restore' });
    const machine = new V86Machine(emulator, { port, console: log, marks: options.marks });
    try {
      if (start.type === 'restore') await restore(emulator, await start.state);
      await emulator.run();
      return machine;
    } catch (error) {
      await machine[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Devices and RAM as v86 saves them. The machine is paused meanwhile; no 9P request may be under way. */
  async saveState(): Promise<ArrayBuffer> {
    await this.#emulator.stop();
    const state = await this.#emulator.save_state();
    await this.#emulator.run();
    return state;
  }

  /**
   * Images of the machine as it runs, and the way back to them. The first call reads all of RAM.
   * @throws unsupported where nothing tells which pages were written
   */
  get checkpoints(): Checkpoints {
    this.#checkpoints ??= this.#openCheckpoints();
    return this.#checkpoints;
  }

  /** How many instructions the guest has run, modulo 2³². */
  instructions(): number {
    return this.#emulator.get_instruction_counter();
  }

  #openCheckpoints(): Checkpoints {
    if (!this.#marks) {
      const message = 'Cannot save the machine as it runs: nothing tells which pages it writes';
      throw new SandboxError('unsupported', message, { details: { feature: 'live snapshots' } });
    }
    const cpu = liveCpu(this.#emulator);
    const ram = new GuestRam(cpu);
    return new Checkpoints(cpu, { ram, written: new MarkedPages(cpu, { ram, marks: this.#marks }) });
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#disposed ??= (async () => {
      this.port[Symbol.dispose]();
      this.onFailure = () => {};
      await this.#emulator.destroy();
    })();
    return this.#disposed;
  }
}

/**
 * v86 zeroes all of RAM before it unpacks a state, which touches every page of it. RAM of a fresh
 * machine is zero but for what the BIOS image put below 1 MiB, so zeroing that is enough.
 */
async function restore(emulator: V86, state: ArrayBuffer): Promise<void> {
  const { cpu } = emulatorInternals(emulator).v86;
  const zeroAll = cpu.zero_memory;
  cpu.zero_memory = (address, sizeBytes) => zeroAll.call(cpu, address, Math.min(sizeBytes, lowMemoryBytes));
  try {
    await emulator.restore_state(state);
  } catch (cause) {
    throw new SandboxError(
      'version-mismatch',
      'Cannot restore the machine state: this v86 does not read it',
      { cause },
    );
  } finally {
    cpu.zero_memory = zeroAll;
  }
}
