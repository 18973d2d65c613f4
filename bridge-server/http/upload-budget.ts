import { SandboxError } from '../../protocol/errors.ts';

export interface UploadBudgetRules {
  /** Of all uploads together. */
  readonly mostBytes: number;
  readonly mostBytesOfAccount: number;
}

/** What one upload holds of the budget. Whoever reserves disposes. */
export interface UploadReservation extends Disposable {
  /** The upload holds so many bytes from now on. @throws busy, and what it holds stays as it was */
  resize(bytes: number): void;
}

/** Memory for what is uploaded, counted as it comes; one account cannot take all of it. */
export class UploadBudget {
  readonly #rules: UploadBudgetRules;
  readonly #ofAccounts = new Map<string, number>();
  #used = 0;

  constructor(rules: UploadBudgetRules) {
    this.#rules = rules;
  }

  get usedBytes(): number {
    return this.#used;
  }

  /** Begins an upload of an account, which holds nothing yet. */
  reserve(account: string): UploadReservation {
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
      throw tooMuch('this token and its kin', mostBytesOfAccount);
    }
    if (bytes > 0 && this.#used + bytes > mostBytes) throw tooMuch('all clients together', mostBytes);
    this.#used += bytes;
    if (own > 0) this.#ofAccounts.set(account, own);
    else this.#ofAccounts.delete(account);
  }
}

function tooMuch(whose: string, limitBytes: number): SandboxError {
  const message = `Cannot take the upload: ${whose} have ${limitBytes} bytes under way, which is the most; try again when others have ended`;
  return new SandboxError('busy', message, { details: { limitBytes } });
}
