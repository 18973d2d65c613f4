import type { LiveCpu, Port } from './live-internals.ts';

const accesses = ['read8', 'read16', 'read32', 'write8', 'write16', 'write32'] as const;

/**
 * Tells which devices the guest has ever spoken to since it is watched. For those that begin to do something
 * only then: nothing of the others changes.
 */
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
