import { limits } from '../../protocol/limits.ts';
import type { SandboxInfo } from '../../protocol/sandbox/sandbox-info.ts';
import type { HandedCheckpoint, HandOverOptions } from '../machine/sandbox-machine.ts';
import type { HandedFiles, HandedMachine } from '../memory/handed-machine.ts';
import type { MachineSnapshotter } from '../memory/machine-snapshotter.ts';

/** The way to the other thread. */
export interface MachineRoute {
  /** Whether what went there last was taken: one is on its way at most. */
  readonly isFree: boolean;
  /** `transfer`: what of it is given away instead of being cloned. */
  send(machine: HandedMachine, transfer: readonly ArrayBuffer[]): void;
}

export interface LeadingParts {
  readonly info: SandboxInfo;
  readonly machineSnapshotter: Pick<MachineSnapshotter, 'handOver'>;
  /** The machine as it is now; nothing where none runs that another thread could go on from. */
  readonly handOver: (options: Pick<HandOverOptions, 'after' | 'aheadPages'>) => HandedCheckpoint | undefined;
}

/**
 * A machine on its way to one other thread: ahead, as often as somebody says, and at last to go on from. Each is what
 * differs from the one before.
 */
export class PreCopy implements Disposable {
  readonly #parts: LeadingParts;
  #before: { readonly checkpoint: HandedCheckpoint; readonly files: HandedFiles } | undefined;

  constructor(parts: LeadingParts) {
    this.#parts = parts;
  }

  /** What is to go ahead; nothing where that would be too much at once. @throws limit-exceeded, unsupported */
  ahead(): { machine: HandedMachine; transfer: readonly ArrayBuffer[] } | undefined {
    return this.#next({ aheadPages: limits.aheadPages });
  }

  /** What is gone on from; nothing where no machine runs. @throws limit-exceeded, unsupported */
  last(): { machine: HandedMachine; transfer: readonly ArrayBuffer[] } | undefined {
    return this.#next({});
  }

  [Symbol.dispose](): void {
    this.#before?.checkpoint.letGo();
    this.#before = undefined;
  }

  #next(
    options: Pick<HandOverOptions, 'aheadPages'>,
  ): { machine: HandedMachine; transfer: readonly ArrayBuffer[] } | undefined {
    const { info, machineSnapshotter, handOver } = this.#parts;
    const checkpoint = handOver({ ...options, after: this.#before?.checkpoint });
    if (!checkpoint) return undefined;
    const { memory, transfer } = checkpoint;
    const files = machineSnapshotter.handOver(checkpoint, this.#before?.files);
    if (options.aheadPages) this.#before = { checkpoint, files };
    return { machine: { info, memory, ...files }, transfer };
  }
}
