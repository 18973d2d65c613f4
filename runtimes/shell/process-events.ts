import type {
  MachineProcessExit,
  MachineProcessListener,
  OnArrival,
} from '../../protocol/machine-process.ts';

import { MissingPrograms } from './missing-programs.ts';

/** Hands events to a listener, one at a time. */
export class ProcessEvents {
  readonly #listener: MachineProcessListener;
  readonly #arrived: OnArrival;
  readonly missing: MissingPrograms = new MissingPrograms();
  #delivered: Promise<void> = Promise.resolve();
  /** Called when the listener throws: it takes no more (H-8). */
  onRefused: () => void = () => {};
  /** Processor time of the process by now. */
  cpuMs: () => number = () => 0;

  constructor(listener: MachineProcessListener, arrived: OnArrival) {
    this.#listener = listener;
    this.#arrived = arrived;
  }

  /** Resolves when the listener has taken it. So does `status`, and both keep the order of the calls. */
  output(type: 'stdout' | 'stderr', bytes: Uint8Array): Promise<void> {
    return this.#deliver({ type, bytes: this.#arrived(bytes.slice()) }).catch(() => this.onRefused());
  }

  status(bytes: Uint8Array): Promise<void> {
    return this.#deliver({
      type: 'status',
      bytes: bytes.slice(),
      cpuMs: this.cpuMs(),
      ...this.missing.take(),
    }).catch(() => this.onRefused());
  }

  exit(exit: Omit<MachineProcessExit, 'type'>): Promise<void> {
    return this.#deliver({ type: 'exit', ...exit, ...this.missing.take() }).catch(() => undefined);
  }

  #deliver(event: Parameters<MachineProcessListener>[0]): Promise<void> {
    const given = this.#delivered.then(() => this.#listener(event));
    this.#delivered = given.catch(() => undefined);
    return given;
  }
}
