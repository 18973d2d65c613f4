import type { LiveCpu, Port } from './live-internals.ts';

const accesses = ['read8', 'read16', 'read32', 'write8', 'write16', 'write32'] as const;

/** Tells which devices the guest has spoken to since it is watched, or they were last forgotten. */
export class PortWatch {
  readonly #touched = new Set<object>();

  /** `parts`: of a device, the objects that answer at its ports. */
  constructor(cpu: LiveCpu, devices: ReadonlyMap<object, readonly (object | undefined)[]>) {
    const owners = new Map<object | undefined, object>();
    for (const [device, parts] of devices) for (const part of [device, ...parts]) owners.set(part, device);
    for (const port of cpu.io.ports) {
      const owner = port.device && owners.get(port.device);
      if (owner) this.#watch(port, owner);
    }
  }

  isTouched(device: object): boolean {
    return this.#touched.has(device);
  }

  /** It counts as one that nobody has spoken to. */
  forget(device: object): void {
    this.#touched.delete(device);
  }

  #watch(port: Port, owner: object): void {
    for (const access of accesses) {
      const answer = port[access];
      const touched = this.#touched;
      port[access] = function (this: unknown, ...values: number[]) {
        touched.add(owner);
        return answer.apply(this, values);
      };
    }
  }
}
