import type { V86 } from 'v86';

/**
 * The parts of v86 0.5.462 that its public types do not name and that this adapter relies on.
 * They survive its minifier because v86 itself reaches them by string or as prototype members.
 */
export interface EmulatorInternals {
  readonly bus: {
    send(name: string, data?: unknown): void;
    register(name: string, listener: (bytes: Uint8Array) => void): void;
  };
  readonly v86: {
    readonly cpu: {
      /** Runs the machine for some milliseconds; answers how long the next call can wait, ms. */
      main_loop(): number;
      set_jit_config(index: number, value: number): void;
      zero_memory(address: number, sizeBytes: number): void;
      unpack_memory(bitmap: { get_buffer(): ArrayBuffer }, pages: Uint8Array): void;
      readonly devices: {
        readonly virtio_console: {
          SendEvent(port: number, event: number, value: number): void;
          readonly virtio: {
            readonly queues: readonly { has_request(): boolean }[];
          };
        };
      };
    };
  };
}

/** The internals of a loaded emulator; throws a `TypeError` that names the first part this v86 lacks. */
export function emulatorInternals(emulator: V86): EmulatorInternals {
  const internals = emulator as unknown as EmulatorInternals;
  const cpu = internals.v86?.cpu;
  const present: [name: string, value: unknown][] = [
    ['bus.send', internals.bus?.send],
    ['cpu.main_loop', cpu?.main_loop],
    ['cpu.set_jit_config', cpu?.set_jit_config],
    ['cpu.zero_memory', cpu?.zero_memory],
    ['virtio_console.SendEvent', cpu?.devices?.virtio_console?.SendEvent],
    ['virtio_console.virtio.queues', cpu?.devices?.virtio_console?.virtio?.queues],
  ];
  for (const [name, value] of present) {
    if (value === undefined) throw new TypeError(`This version of v86 has no ${name}`);
  }
  return internals;
}
