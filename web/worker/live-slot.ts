import { SandboxError } from '../../protocol/errors.ts';
import type {
  GoToOptions,
  HandedMoment,
  LiveMachine,
  MachineMoment,
  SealedMoment,
  SealOptions,
  ShownTerminal,
} from '../../sandbox/sandbox-machine.ts';
import type { GuestImage, GuestMachine } from './guest-machine.ts';

/** How a machine is put back by whoever owns it, who starts another where that fails. */
export type GoTo = (image: GuestImage, options: GoToOptions) => Promise<void>;

/** The moments of one guest. */
export class LiveSlot implements LiveMachine {
  readonly #guest: GuestMachine;
  readonly #goTo: GoTo;
  readonly #images = new WeakSet<MachineMoment>();
  /** The last that was sealed, or is about to be. */
  #sealing: MachineMoment | undefined;

  constructor(guest: GuestMachine, goTo: GoTo) {
    this.#guest = guest;
    this.#goTo = goTo;
  }

  get usedBytes(): number {
    return this.#guest.checkpoints?.usedBytes ?? 0;
  }

  get tracking(): LiveMachine['tracking'] {
    return this.#guest.tracking;
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
    const all = this.#sealing ? [...moments, this.#sealing] : moments;
    const images = all.map((moment) => (moment as GuestImage).machine);
    const { lastSealed } = this.#guest;
    this.#guest.checkpoints?.keepOnly(lastSealed ? [...images, lastSealed] : images);
  }

  get seal(): LiveMachine['seal'] {
    return this.#guest.canSeal ? (moment, options) => this.#seal(moment, options) : undefined;
  }

  handOver(terminals: readonly ShownTerminal[]): HandedMoment | undefined {
    const handed = this.#guest.handOver(terminals);
    if (!handed) return undefined;
    const { image, memory } = handed;
    return { tree: image.tree, memory, transfer: [memory.contents.buffer] };
  }

  async #seal(moment: MachineMoment, options: SealOptions): Promise<SealedMoment> {
    this.#sealing = moment;
    const sealed = await this.#guest.seal(moment as GuestImage, options);
    if (!sealed) throw new SandboxError('unsupported', 'Cannot store the memory of the machine');
    return sealed;
  }
}
