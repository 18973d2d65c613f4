/** Numbers that look random (xorshift, Marsaglia 2003), the same for the same seed. */
export class Random {
  #state = 1;
  #seed = 0;

  constructor() {
    this.seed(0);
  }

  /** Answers the seed before. */
  seed(seed: number): number {
    const before = this.#seed;
    this.#seed = seed;
    const mixed = Math.imul(
      (Math.trunc(seed) | 0) ^ Math.trunc((seed % 1) * 2 ** 31) ^ 0x9e37_79b9,
      0x85eb_ca6b,
    );
    this.#state = mixed === 0 ? 1 : mixed;
    for (let count = 0; count < 8; count++) this.#step();
    return before;
  }

  /** From zero to less than one. */
  next(): number {
    return (this.#step() * 2 ** 21 + (this.#step() >>> 11)) / 2 ** 53;
  }

  #step(): number {
    let state = this.#state;
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    this.#state = state;
    return state >>> 0;
  }
}
