import { SandboxError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { Shares } from '../../shares.ts';
import type { ResumeRequest } from '../handshake.ts';
import type { ServerSession } from './server-session.ts';
import type { WireSession } from './wire-session.ts';

interface Kept {
  readonly secret: string;
  /** Who the client is, as the server knows it: nobody else may go on with the session. */
  readonly owner: string;
  readonly session: ServerSession;
  /** The same, as whoever serves it knows it. */
  readonly served: WireSession;
}

/** The sessions of one server, found again by clients that lost their transport. Whoever makes it closes it. */
export class WireSessions implements AsyncDisposable {
  readonly #sessions = new Map<string, Kept>();
  readonly #shares = new Shares({
    most: limits.wireSessions,
    mostOfAccount: limits.wireSessionsOfAccount,
    name: 'sessions',
  });

  get size(): number {
    return this.#sessions.size;
  }

  /**
   * Keeps a session until it ends, which counts to `account`.
   * @throws busy when there are `limits.wireSessions`, or the account has its share of them
   */
  add(
    session: ServerSession,
    options: { readonly owner: string; readonly account: string; readonly served: WireSession },
  ): { readonly id: string; readonly secret: string } {
    const { owner, account, served } = options;
    const giveBack = this.#shares.take(account, 'Cannot open a session');
    const [id, secret] = [randomName(), randomName()];
    this.#sessions.set(id, { secret, owner, session, served });
    void session.ended.then(() => {
      this.#sessions.delete(id);
      giveBack();
    });
    return { id, secret };
  }

  /**
   * The session that the client goes on with: one of `owner`, or one with which `onResume` lets it.
   * @throws not-found when there is none; what `onResume` does
   */
  find(
    { id, secret }: ResumeRequest,
    {
      owner,
      onResume,
    }: { readonly owner: string; readonly onResume?: ((session: WireSession) => void) | undefined },
  ): ServerSession {
    const kept = this.#sessions.get(id);
    if (kept && !kept.session.isOver && isSame(kept.secret, secret) && (onResume || kept.owner === owner)) {
      onResume?.(kept.served);
      return kept.session;
    }
    throw new SandboxError('not-found', 'Cannot resume the session: it has ended');
  }

  /** Ends all of them, for a server that stops. */
  async [Symbol.asyncDispose](): Promise<void> {
    const reason = new SandboxError('connection-lost', 'The server stops');
    await Promise.all([...this.#sessions.values()].map(({ session }) => session.end(reason)));
  }
}

/** 128 random bits, in hex. */
export function randomName(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}

/** Takes as long wherever they differ, so that a secret cannot be guessed piece by piece. */
function isSame(secret: string, guess: string): boolean {
  let difference = secret.length ^ guess.length;
  for (let at = 0; at < secret.length; at++) difference |= secret.charCodeAt(at) ^ guess.charCodeAt(at);
  return difference === 0;
}
