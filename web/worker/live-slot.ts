import { SandboxError } from '../../protocol/errors.ts';
import type {
  GoToOptions,
  HandedMoment,
  HandOverOptions,
  LiveMachine,
  MachineMoment,
  SealedMoment,
  SealOptions,
} from '../../sandbox/machine/sandbox-machine.ts';
import type { GuestImage, GuestMachine, HandedGuest } from './guest-machine.ts';

/** How a machine is put back by whoever owns it, who starts another where that fails. */
export type GoTo = (image: GuestImage, options: GoToOptions) => Promise<void>;

/** The moments of one guest. */
export class LiveSlot implements LiveMachine {
  readonly #guest: GuestMachine;
  readonly #goTo: GoTo;
  readonly #images = new WeakSet<MachineMoment>();
  /** The last that was sealed, or is about to be. */
  #sealing: MachineMoment | undefined;
  /** What went ahead to another worker: it gets what differs from that. */
  #ahead: { readonly moment: HandedMoment; readonly guest: HandedGuest } | undefined;

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
    const others = [this.#guest.lastSealed, this.#ahead?.guest.image.machine];
    this.#guest.checkpoints?.keepOnly([...images, ...others.filter((image) => image !== undefined)]);
  }

  get seal(): LiveMachine['seal'] {
    return this.#guest.canSeal ? (moment, options) => this.#seal(moment, options) : undefined;
  }

  handOver({ terminals, after, aheadPages }: HandOverOptions): HandedMoment | undefined {
    const before = after && this.#ahead?.moment === after ? this.#ahead.guest : undefined;
    const guest = this.#guest.handOver(terminals, { after: before, mostPages: aheadPages });
    if (!guest) return undefined;
    const { image, memory } = guest;
    const moment: HandedMoment = {
      tree: image.tree,
      memory,
      transfer: [memory.contents.buffer],
      letGo: () => {
        if (this.#ahead?.moment === moment) this.#ahead = undefined;
      },
    };
    if (aheadPages) this.#ahead = { moment, guest };
    return moment;
  }

  async #seal(moment: MachineMoment, options: SealOptions): Promise<SealedMoment> {
    this.#sealing = moment;
    const sealed = await this.#guest.seal(moment as GuestImage, options);
    if (!sealed) throw new SandboxError('unsupported', 'Cannot store the memory of the machine');
    return sealed;
  }
}
