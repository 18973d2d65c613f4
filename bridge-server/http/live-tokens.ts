import { SandboxError } from '../../protocol/errors.ts';
import type { TokenOwner, TokenRecords } from '../token-contract.ts';

type OnEnd = (why: SandboxError) => void;

/**
 * Ends what is open on behalf of a token when that is no longer valid: it was revoked here or by another
 * process, has expired, or has gone with its last sandbox. Holds are as many as sockets, sessions and requests.
 * Where the records cannot be read, what is open stays so, and they are asked again.
 */
export class LiveTokens implements Disposable {
  readonly #tokens: Pick<TokenRecords, 'isValid'>;
  readonly #onFailure: (error: unknown) => void;
  readonly #recheckMs: number;
  readonly #held = new Map<string, Set<OnEnd>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    tokens: Pick<TokenRecords, 'isValid'>,
    options: { readonly recheckMs: number; readonly onFailure: (error: unknown) => void },
  ) {
    this.#tokens = tokens;
    this.#recheckMs = options.recheckMs;
    this.#onFailure = options.onFailure;
  }

  /** How many tokens hold something. */
  get size(): number {
    return this.#held.size;
  }

  /**
   * Calls `onEnd` once, with why, as soon as the token is seen to be invalid: at once when it has ended
   * since it was checked. Returns how to let go.
   */
  hold({ id }: Pick<TokenOwner, 'id'>, onEnd: OnEnd): () => void {
    if (!this.#isValid(id)) {
      onEnd(ended());
      return () => {};
    }
    const entry: OnEnd = (why) => onEnd(why);
    const entries = this.#held.get(id) ?? new Set();
    this.#held.set(id, entries.add(entry));
    this.#timer ??= setInterval(() => this.recheck(), this.#recheckMs).unref();
    return () => {
      entries.delete(entry);
      if (entries.size === 0 && this.#held.get(id) === entries) this.#held.delete(id);
      if (this.#held.size === 0) this.#stopLooking();
    };
  }

  /** Looks at every token that holds something: after one was revoked, say. */
  recheck(): void {
    for (const [id, entries] of [...this.#held]) {
      if (this.#isValid(id)) continue;
      this.#held.delete(id);
      for (const onEnd of [...entries]) onEnd(ended());
    }
  }

  [Symbol.dispose](): void {
    this.#held.clear();
    this.#stopLooking();
  }

  #isValid(id: string): boolean {
    try {
      return this.#tokens.isValid(id);
    } catch (error) {
      this.#onFailure(error);
      return true;
    }
  }

  #stopLooking(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

function ended(): SandboxError {
  return new SandboxError('unauthenticated', 'The token is no longer valid: it was revoked or has expired');
}
