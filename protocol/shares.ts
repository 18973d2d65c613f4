import { SandboxError } from './errors.ts';

export interface ShareRules {
  /** Of all accounts together. */
  readonly most: number;
  readonly mostOfAccount: number;
  /** What there is so little of, in the plural. */
  readonly name: string;
}

/** Counts what accounts hold of something that is scarce, so that one of them cannot take all of it. */
export class Shares {
  readonly #rules: ShareRules;
  readonly #held = new Map<string, number>();
  #count = 0;

  constructor(rules: ShareRules) {
    this.#rules = rules;
  }

  /** How many are held, by all accounts. */
  get count(): number {
    return this.#count;
  }

  /**
   * Counts one in, before anything is waited for. Returns how to count it out, which may be called again.
   * @throws busy, in a message that begins with `refusal`: what cannot be done
   */
  take(account: string, refusal: string): () => void {
    const own = this.#held.get(account) ?? 0;
    const { most, mostOfAccount, name } = this.#rules;
    if (this.#count >= most) throw tooMany(`${refusal}: there are ${most} ${name}, which is the most`, most);
    if (own >= mostOfAccount) {
      const message = `${refusal}: this token and its kin have ${mostOfAccount} ${name}, which is their share`;
      throw tooMany(message, mostOfAccount);
    }
    this.#count++;
    this.#held.set(account, own + 1);
    let isHeld = true;
    return () => {
      if (isHeld) this.#giveBack(account);
      isHeld = false;
    };
  }

  #giveBack(account: string): void {
    this.#count--;
    const left = (this.#held.get(account) ?? 1) - 1;
    if (left > 0) this.#held.set(account, left);
    else this.#held.delete(account);
  }
}

function tooMany(message: string, limit: number): SandboxError {
  return new SandboxError('busy', message, { details: { limit } });
}
