import { SandboxError } from '../../protocol/errors.ts';

export interface ByteBudgetRules {
  /** Of all accounts together. */
  readonly mostBytes: number;
  readonly mostBytesOfAccount: number;
  /** What the bytes are, in the plural: `uploads`. */
  readonly name: string;
  /** Begins the message where there is no room: what cannot be done. */
  readonly refusal: string;
}

/** What one upload or answer holds of the budget, until it is disposed of. */
export interface ByteReservation extends Disposable {
  /** Holds so many bytes from now on. @throws busy, and what it holds stays as it was */
  resize(bytes: number): void;
}

/** Memory that is counted as it fills: for uploads, or for answers. One account cannot take all of it. */
export class ByteBudget {
  readonly #rules: ByteBudgetRules;
  readonly #ofAccounts = new Map<string, number>();
  #used = 0;

  constructor(rules: ByteBudgetRules) {
    this.#rules = rules;
  }

  get usedBytes(): number {
    return this.#used;
  }

  /** A reservation of an account, which holds nothing yet. */
  reserve(account: string): ByteReservation {
    let held = 0;
    return {
      resize: (bytes) => {
        this.#take(account, bytes - held);
        held = bytes;
      },
      [Symbol.dispose]: () => {
        this.#take(account, -held);
        held = 0;
      },
    };
  }

  #take(account: string, bytes: number): void {
    const { mostBytes, mostBytesOfAccount } = this.#rules;
    const own = (this.#ofAccounts.get(account) ?? 0) + bytes;
    if (bytes > 0 && own > mostBytesOfAccount) {
      throw this.#tooMuch('this token and its kin', mostBytesOfAccount);
    }
    if (bytes > 0 && this.#used + bytes > mostBytes) throw this.#tooMuch('all clients together', mostBytes);
    this.#used += bytes;
    if (own > 0) this.#ofAccounts.set(account, own);
    else this.#ofAccounts.delete(account);
  }

  #tooMuch(whose: string, limitBytes: number): SandboxError {
    const { name, refusal } = this.#rules;
    const message = `${refusal}: ${whose} have ${limitBytes} bytes of ${name} under way, which is the most; try again when others have ended`;
    return new SandboxError('busy', message, { details: { limitBytes } });
  }
}
