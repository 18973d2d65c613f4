import { SandboxError } from '../../../protocol/errors.ts';
import type {
  HandedCheckpoint,
  HandOverOptions,
  LiveMachine,
  MachineCheckpoint,
  RestoreOptions,
  SealedCheckpoint,
  SealOptions,
} from '../../../sandbox/machine/sandbox-machine.ts';
import type { GuestImage, GuestMachine, HandedGuest } from './guest-machine.ts';

/** How a machine is put back by whoever owns it, who starts another where that fails. */
export type Restore = (image: GuestImage, options: RestoreOptions) => Promise<void>;

/** The checkpoints of one guest. */
export class LiveSlot implements LiveMachine {
  readonly #guest: GuestMachine;
  readonly #restore: Restore;
  readonly #images = new WeakSet<MachineCheckpoint>();
  /** The last that was sealed, or is about to be. */
  #sealing: MachineCheckpoint | undefined;
  /** What went ahead to another worker: it gets what differs from that. */
  #ahead: { readonly checkpoint: HandedCheckpoint; readonly guest: HandedGuest } | undefined;

  constructor(guest: GuestMachine, restore: Restore) {
    this.#guest = guest;
    this.#restore = restore;
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

  has(checkpoint: MachineCheckpoint): boolean {
    return this.#images.has(checkpoint);
  }

  restore(checkpoint: MachineCheckpoint, options: RestoreOptions): Promise<void> {
    return this.#restore(checkpoint as GuestImage, options);
  }

  keepOnly(checkpoints: readonly MachineCheckpoint[]): void {
    const all = this.#sealing ? [...checkpoints, this.#sealing] : checkpoints;
    const images = all.map((checkpoint) => (checkpoint as GuestImage).machine);
    const others = [this.#guest.lastSealed, this.#ahead?.guest.image.machine];
    this.#guest.checkpoints?.keepOnly([...images, ...others.filter((image) => image !== undefined)]);
  }

  get seal(): LiveMachine['seal'] {
    return this.#guest.canSeal ? (checkpoint, options) => this.#seal(checkpoint, options) : undefined;
  }

  handOver({ terminals, after, aheadPages }: HandOverOptions): HandedCheckpoint | undefined {
    const before = after && this.#ahead?.checkpoint === after ? this.#ahead.guest : undefined;
    const guest = this.#guest.handOver(terminals, { after: before, mostPages: aheadPages });
    if (!guest) return undefined;
    const { image, memory } = guest;
    const checkpoint: HandedCheckpoint = {
      tree: image.tree,
      memory,
      transfer: [memory.contents.buffer],
      letGo: () => {
        if (this.#ahead?.checkpoint === checkpoint) this.#ahead = undefined;
      },
    };
    if (aheadPages) this.#ahead = { checkpoint, guest };
    return checkpoint;
  }

  async #seal(checkpoint: MachineCheckpoint, options: SealOptions): Promise<SealedCheckpoint> {
    this.#sealing = checkpoint;
    const sealed = await this.#guest.seal(checkpoint as GuestImage, options);
    if (!sealed) throw new SandboxError('unsupported', 'Cannot store the memory of the machine');
    return sealed;
  }
}
