import { SandboxError } from '../protocol/errors.ts';
import { limits } from '../protocol/limits.ts';

/** Gives out tokens of a bridge: asked for the first, before one ends, and when one was refused. */
export type TokenSupplier = () => string | Promise<string>;

/** What a subprotocol may consist of (RFC 7230, 3.2.6): the token is sent as one. */
const subprotocolText = /^[\w!#$%&'*+.^`|~-]{1,1024}$/;

/** The token of a connection: one for good, or one after the other. */
export class TokenSource {
  readonly #supply: TokenSupplier | undefined;
  #current: string | undefined;
  #asking: Promise<string> | undefined;

  /** @throws invalid-argument for text that is no token */
  constructor(token: string | TokenSupplier) {
    this.#supply = typeof token === 'string' ? undefined : token;
    this.#current = typeof token === 'string' ? checked(token) : undefined;
  }

  /** Whether there are others than the one that there is. */
  get hasOthers(): boolean {
    return this.#supply !== undefined;
  }

  /** The one to use now. @throws connection-lost when none is given out; invalid-argument, timeout */
  async current(): Promise<string> {
    return this.#current ?? this.next();
  }

  /** Asks for another one; whoever asks meanwhile gets the same. @throws connection-lost, invalid-argument, timeout */
  next(): Promise<string> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #ask(): Promise<string> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => late.reject(new SandboxError('timeout', 'Cannot get a token for the bridge in time')),
      limits.tokenSupplyTimeoutMs,
    );
    try {
      const token = checked(await Promise.race([this.#supply?.(), late.promise]));
      this.#current = token;
      return token;
    } catch (cause) {
      if (cause instanceof SandboxError) throw cause;
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new SandboxError('connection-lost', `Cannot get a token for the bridge: ${why}`, { cause });
    } finally {
      clearTimeout(timer);
    }
  }
}

function checked(token: unknown): string {
  if (typeof token === 'string' && subprotocolText.test(token)) return token;
  throw new SandboxError(
    'invalid-argument',
    'Cannot connect to the bridge: the token is not one of a bridge',
  );
}
