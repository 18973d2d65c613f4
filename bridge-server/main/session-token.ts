import type { RenewedToken } from '../../protocol/api-token.ts';
import type { SandboxError } from '../../protocol/errors.ts';
import type { WireAccess } from '../../protocol/wire/handshake.ts';
import type { WireSession } from '../../protocol/wire/server/wire-session.ts';
import type { OnTokenEnd, TokenEnd } from '../http/live-tokens.ts';
import type { TokenOwner } from '../token-contract.ts';
import { assertHeir } from './assert-heir.ts';

/** Who has come, and how to be told that its token has ended. */
interface Holder {
  readonly owner: TokenOwner;
  readonly whileValid: (onEnd: OnTokenEnd) => () => void;
  readonly renewToken: () => RenewedToken;
}

/**
 * Which token a session lives by. What that session may do stays what the token allowed that it began with: another
 * one prolongs it and adds nothing.
 */
export class SessionToken {
  readonly #session: WireSession;
  readonly #begunBy: TokenOwner;
  #renewToken: Holder['renewToken'];
  #letGo: () => void;

  constructor(session: WireSession, { owner, whileValid, renewToken }: Holder) {
    this.#session = session;
    this.#begunBy = owner;
    this.#renewToken = renewToken;
    this.#letGo = whileValid((why, end) => this.#lose(why, end));
    void session.ended.then(() => this.#letGo());
  }

  /**
   * The client has come back, perhaps with another token; one that ended after its socket was opened is none.
   * @throws forbidden when it may not have the session; unauthenticated
   */
  takeOver({ owner, whileValid, renewToken }: Holder): void {
    assertHeir(owner, this.#begunBy);
    let ended: SandboxError | undefined;
    let isHeld = false;
    const letGo = whileValid((why, end) => {
      if (isHeld) this.#lose(why, end);
      else ended = why;
    });
    if (ended) throw ended;
    isHeld = true;
    this.#letGo();
    this.#letGo = letGo;
    this.#renewToken = renewToken;
  }

  /** Lets the token that it lives by last longer. @throws forbidden when that may not be; unauthenticated */
  renew(): WireAccess {
    const { expiresInMs, isRenewable } = this.#renewToken();
    return { endsInMs: expiresInMs, isRenewable };
  }

  /** Time that has run out can be had anew; what was taken away ends the session at once. */
  #lose(why: SandboxError, end: TokenEnd): void {
    void (end === 'expired' ? this.#session.suspend(why) : this.#session.close(why));
  }
}
