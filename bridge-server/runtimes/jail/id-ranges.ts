import { randomInt } from 'node:crypto';
import { SandboxError } from '../../../protocol/errors.ts';

/** What systemd sets aside for containers (its UIDS-GIDS document), in ranges of 65536. */
const first = 0x0008_0000;
const last = 0x6fff_0000;
const size = 0x1_0000;
const count = (last - first) / size + 1;

/** Host ids of jails: no two that run at once share any, so that no jail has power over another's. */
export class IdRanges {
  readonly #taken = new Set<number>();

  /** The first id of a range of 65536, until it is given back. @throws limit-exceeded */
  take(): number {
    if (this.#taken.size >= count / 2) {
      throw new SandboxError('limit-exceeded', 'Cannot start a jail: too many run on this host');
    }
    for (;;) {
      // At random, as another bridge on this host may take from the same.
      const id = first + randomInt(count) * size;
      if (this.#taken.has(id)) continue;
      this.#taken.add(id);
      return id;
    }
  }

  /** One that a jail has already. */
  claim(id: number): void {
    this.#taken.add(id);
  }

  /** Whether an id is the first of a range that jails may have, and nobody's else. */
  includes(id: number): boolean {
    return id >= first && id <= last && (id - first) % size === 0;
  }

  give(id: number): void {
    this.#taken.delete(id);
  }
}

/** Those of the jails of this process. */
export const jailIdRanges: IdRanges = new IdRanges();
