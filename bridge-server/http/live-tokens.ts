import { SandboxError } from '../../protocol/errors.ts';
import type { TokenOwner, TokenRecords } from '../token-contract.ts';

/** Why a token opens nothing any more. One that was taken away (`revoked`) has not merely run out of time. */
export type TokenEnd = 'expired' | 'revoked';

/** Told once that a token opens nothing any more. */
export type OnTokenEnd = (why: SandboxError, end: TokenEnd) => void;

interface Held {
  /** When it would have expired, as was last seen. */
  untilMs: number;
  readonly entries: Set<OnTokenEnd>;
}

/**
 * Ends what is open on behalf of a token when that is no longer valid: it was revoked here or by another
 * process, has expired, or has gone with its last sandbox. Holds are as many as sockets, sessions and requests.
 * Where the records cannot be read, what is open stays so, and they are asked again.
 */
export class LiveTokens implements Disposable {
  readonly #tokens: Pick<TokenRecords, 'validUntilMs'>;
  readonly #onFailure: (error: unknown) => void;
  readonly #recheckMs: number;
  readonly #held = new Map<string, Held>();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    tokens: Pick<TokenRecords, 'validUntilMs'>,
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
  hold({ id, expiresAtMs }: Pick<TokenOwner, 'id' | 'expiresAtMs'>, onEnd: OnTokenEnd): () => void {
    const held = this.#held.get(id) ?? {
      untilMs: expiresAtMs ?? Number.POSITIVE_INFINITY,
      entries: new Set(),
    };
    if (!this.#isValid(id, held)) {
      tell(held, [onEnd]);
      return () => {};
    }
    const entry: OnTokenEnd = (why, end) => onEnd(why, end);
    held.entries.add(entry);
    this.#held.set(id, held);
    this.#timer ??= setInterval(() => this.recheck(), this.#recheckMs).unref();
    return () => {
      held.entries.delete(entry);
      if (held.entries.size === 0 && this.#held.get(id) === held) this.#held.delete(id);
      if (this.#held.size === 0) this.#stopLooking();
    };
  }

  /** Looks at every token that holds something: after one was revoked, say. */
  recheck(): void {
    for (const [id, held] of [...this.#held]) {
      if (this.#isValid(id, held)) continue;
      this.#held.delete(id);
      tell(held, [...held.entries]);
    }
  }

  [Symbol.dispose](): void {
    this.#held.clear();
    this.#stopLooking();
  }

  #isValid(id: string, held: Held): boolean {
    try {
      const untilMs = this.#tokens.validUntilMs(id);
      if (untilMs === undefined) return false;
      held.untilMs = untilMs;
    } catch (error) {
      this.#onFailure(error);
    }
    return true;
  }

  #stopLooking(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

function tell({ untilMs }: Held, entries: readonly OnTokenEnd[]): void {
  const end = Date.now() >= untilMs ? 'expired' : 'revoked';
  const why = new SandboxError(
    'unauthenticated',
    'The token is no longer valid: it was revoked or has expired',
  );
  for (const onEnd of entries) onEnd(why, end);
}
