import type { Emulator } from '../emulator.ts';
import type { DeviceState } from '../live/device-state.ts';
import { receiveDevices } from './handed-devices.ts';
import { type HandedMemory, incomplete, pagesOf } from './handed-memory.ts';
import { putRam } from './resume.ts';

/**
 * What is put into a machine that stands ready, ahead of the memory that it will go on from: one after the other, each
 * of which is what differs from the one before.
 */
export class PrecopiedMachine {
  readonly #emulator: Emulator;
  readonly #pages = new Set<number>();
  /** Of the last one. */
  #devices: DeviceState | undefined;
  #editions = 0;

  constructor(emulator: Emulator) {
    this.#emulator = emulator;
  }

  /** @throws corrupt-object where one was missed, or it was cut off */
  put(memory: HandedMemory): void {
    const before = this.before(memory);
    putRam(this.#emulator, pagesOf(memory));
    for (const page of memory.pages) this.#pages.add(page);
    this.#devices = receiveDevices(memory.devices, { present: this.#emulator.devices.save(), before });
    this.#editions = memory.edition + 1;
  }

  /** The devices of the one before; nothing for one that begins anew, for which all is taken back. @throws corrupt-object */
  before({ edition }: Pick<HandedMemory, 'edition'>): DeviceState | undefined {
    if (edition === 0) this.takeBack();
    if (edition !== this.#editions) throw incomplete('some of what went ahead of it is missing');
    return this.#devices;
  }

  /** The machine is at the state again that it was put at first. */
  takeBack(): void {
    const { restored } = this.#emulator;
    putRam(this.#emulator, { keys: () => this.#pages.values(), get: (page) => restored?.get(page) });
    this.#pages.clear();
    this.#devices = undefined;
    this.#editions = 0;
  }
}
