import type { GoToOptions, LiveMachine, MachineMoment } from '../../sandbox/sandbox-machine.ts';
import type { GuestImage, GuestMachine } from './guest-machine.ts';

/** How a machine is put back by whoever owns it, who starts another where that fails. */
export type GoTo = (image: GuestImage, options: GoToOptions) => Promise<void>;

/** The moments of one guest. */
export class LiveSlot implements LiveMachine {
  readonly #guest: GuestMachine;
  readonly #goTo: GoTo;
  readonly #images = new WeakSet<MachineMoment>();

  constructor(guest: GuestMachine, goTo: GoTo) {
    this.#guest = guest;
    this.#goTo = goTo;
  }

  get usedBytes(): number {
    return this.#guest.checkpoints?.usedBytes ?? 0;
  }

  get tracking(): LiveMachine['tracking'] {
    return this.#guest.checkpoints?.tracking ?? 'comparison';
  }

  take(): GuestImage {
    const image = this.#guest.checkpoint();
    this.#images.add(image);
    return image;
  }

  has(moment: MachineMoment): boolean {
    return this.#images.has(moment);
  }

  goTo(moment: MachineMoment, options: GoToOptions): Promise<void> {
    return this.#goTo(moment as GuestImage, options);
  }

  keepOnly(moments: readonly MachineMoment[]): void {
    this.#guest.checkpoints?.keepOnly(moments.map((moment) => (moment as GuestImage).machine));
  }
}
