import { SandboxError } from '../../protocol/errors.ts';

/** A share of a room; grows as it is filled. Whoever enters leaves. */
export interface Share extends Disposable {
  /** @throws busy when there is no room for so much */
  grow(bytes: number): void;
}

/** Memory that many share, counted in bytes. */
export class Room {
  readonly #bytes: number;
  #used = 0;

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  get usedBytes(): number {
    return this.#used;
  }

  enter(): Share {
    let share = 0;
    return {
      grow: (bytes) => {
        if (this.#used + bytes > this.#bytes) {
          throw new SandboxError('busy', 'Cannot take the upload: too many are under way');
        }
        this.#used += bytes;
        share += bytes;
      },
      [Symbol.dispose]: () => {
        this.#used -= share;
        share = 0;
      },
    };
  }
}
