import { SandboxError } from './errors.ts';

export interface ShareRules {
  /** The quota of all accounts together. */
  readonly most: number;
  readonly mostOfAccount: number;
  /** The name of the resource, in the plural. */
  readonly name: string;
}

/**
 * Counts how much of a scarce resource each account holds, and enforces quotas, so that no account can take all of
 * it.
 */
export class Shares {
  readonly #rules: ShareRules;
  readonly #held = new Map<string, number>();
  #count = 0;

  constructor(rules: ShareRules) {
    this.#rules = rules;
  }

  /** How many all accounts hold. */
  get count(): number {
    return this.#count;
  }

  /** How many the account holds. */
  heldBy(account: string): number {
    return this.#held.get(account) ?? 0;
  }

  /**
   * Takes one, synchronously. Returns a function that gives it back, which may be called repeatedly.
   * @throws busy, in a message that begins with `refusal`: what cannot be done
   */
  take(account: string, refusal: string): () => void {
    const own = this.heldBy(account);
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
