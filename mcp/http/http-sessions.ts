import { isInitializeRequest, isLegacyRequest } from '@modelcontextprotocol/server';
import { SandboxError } from '../../protocol/errors.ts';
import { Shares } from '../../protocol/shares.ts';
import { IdleTimers } from '../idle-timers.ts';
import { mcpHttpLimits } from '../limits.ts';
import {
  type HttpCaller,
  type HttpSession,
  type HttpSessionOptions,
  openNamedSession,
  openTokenSession,
} from './http-session.ts';
import { onBodyEnd } from './on-body-end.ts';

export interface HttpSessionsOptions extends Omit<HttpSessionOptions, 'caller'> {
  /** `mcpHttpLimits.idleMs` by default. */
  readonly idleMs?: number;
  /** `mcpHttpLimits.sessions` by default. */
  readonly sessions?: number;
  /** `mcpHttpLimits.sessionsOfAccount` by default. */
  readonly sessionsOfAccount?: number;
}

interface Entry {
  readonly key: string;
  readonly token: string;
  readonly account: string;
  readonly session: Promise<HttpSession>;
  readonly giveBack: () => void;
  /** Once it is open. */
  opened: HttpSession | undefined;
  stopWatching: () => void;
  /** Requests whose answer is not complete yet. */
  requests: number;
  /** When it had its last request, as `performance.now()`. */
  usedAtMs: number;
}

/**
 * The sessions of all clients over HTTP. One ends when its client says so, when its token does, and when it has had no
 * request for `idleMs`: commands that it has started end with it. Where there are as many as may be, the one that has been
 * idle longest, without a command, makes room for a new one. Disposing of this ends all.
 */
export class HttpSessions implements AsyncDisposable {
  readonly #options: HttpSessionsOptions;
  readonly #idle: IdleTimers;
  readonly #entries = new Map<string, Entry>();
  readonly #ending = new Set<Promise<void>>();
  readonly #mostOfAccount: number;
  readonly #shares: Shares;
  #isClosed = false;

  constructor(options: HttpSessionsOptions) {
    this.#options = options;
    this.#idle = new IdleTimers(options.idleMs ?? mcpHttpLimits.idleMs, (key) => {
      const entry = this.#entries.get(key);
      if (entry) void this.#end(entry);
    });
    this.#mostOfAccount = options.sessionsOfAccount ?? mcpHttpLimits.sessionsOfAccount;
    this.#shares = new Shares({
      most: options.sessions ?? mcpHttpLimits.sessions,
      mostOfAccount: this.#mostOfAccount,
      name: 'MCP sessions',
    });
  }

  get count(): number {
    return this.#entries.size;
  }

  /**
   * Answers a request whose body is `message`, parsed.
   * @throws not-found for a session that is not the token's: its client begins anew; invalid-argument, busy, connection-lost
   */
  async answer(request: Request, message: unknown, caller: HttpCaller): Promise<Response> {
    this.#assertOpen();
    const id = request.headers.get('mcp-session-id');
    if (id !== null) return this.#answerIn(this.#find(id, caller), request, message);
    if (!(await isLegacyRequest(request, message))) {
      return this.#answerOfToken(request, message, caller);
    }
    if (!isInitializeRequest(message)) {
      throw new SandboxError(
        'invalid-argument',
        'Cannot answer: the request names no session in Mcp-Session-Id, and does not begin one with initialize',
      );
    }
    const giveBack = await this.#takeShare(caller.account);
    const entry = this.#begin(crypto.randomUUID(), { caller, giveBack, open: openNamedSession });
    const answer = await this.#answerIn(entry, request, message);
    if (!answer.ok) void this.#end(entry);
    return answer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    for (const entry of [...this.#entries.values()]) void this.#end(entry);
    await Promise.all(this.#ending);
  }

  #find(id: string, { token }: HttpCaller): Entry {
    const entry = this.#entries.get(id);
    // Another token must not learn that there is such a session.
    if (entry?.token === token) return entry;
    throw new SandboxError(
      'not-found',
      'There is no such MCP session: it has ended; begin one with initialize',
    );
  }

  /** In the session of the clients that name none, which is made for the first. */
  async #answerOfToken(request: Request, message: unknown, caller: HttpCaller): Promise<Response> {
    const key = JSON.stringify([caller.token, caller.defaultSandbox]);
    let entry = this.#entries.get(key);
    if (!entry) {
      const giveBack = await this.#takeShare(caller.account);
      entry = this.#entries.get(key);
      // Another request may have begun it meanwhile.
      if (entry) giveBack();
      else {
        const open = async (_: string, options: HttpSessionOptions) => openTokenSession(options);
        entry = this.#begin(key, { caller, giveBack, open });
      }
    }
    return this.#answerIn(entry, request, message);
  }

  /** Counts a session of the account in; an idle one ends where there are as many as may be. @throws busy, connection-lost */
  async #takeShare(account: string): Promise<() => void> {
    for (;;) {
      this.#assertOpen();
      try {
        return this.#shares.take(account, 'Cannot begin an MCP session');
      } catch (error) {
        const idle = this.#longestIdle(account);
        if (!idle) throw error;
        await this.#end(idle);
      }
    }
  }

  /** Of all sessions; where the account has its share, of its own. */
  #longestIdle(account: string): Entry | undefined {
    const isOwnOnly = this.#shares.heldBy(account) >= this.#mostOfAccount;
    return [...this.#entries.values()]
      .filter((entry) => entry.requests === 0 && !entry.opened?.hasCommands())
      .filter((entry) => !isOwnOnly || entry.account === account)
      .toSorted((a, b) => a.usedAtMs - b.usedAtMs)[0];
  }

  #begin(
    key: string,
    {
      caller,
      giveBack,
      open,
    }: {
      readonly caller: HttpCaller;
      readonly giveBack: () => void;
      readonly open: (key: string, options: HttpSessionOptions) => Promise<HttpSession>;
    },
  ): Entry {
    const { version, onProblem } = this.#options;
    const entry: Entry = {
      key,
      token: caller.token,
      account: caller.account,
      session: open(key, { caller, version, onProblem }),
      giveBack,
      opened: undefined,
      stopWatching: () => undefined,
      requests: 0,
      usedAtMs: performance.now(),
    };
    this.#entries.set(key, entry);
    entry.session.then(
      (session) => {
        entry.opened = session;
      },
      () => this.#end(entry),
    );
    entry.stopWatching = caller.whileValid(() => void this.#end(entry));
    // Where the token is not valid any more, that has ended it already.
    if (this.#entries.get(key) !== entry) entry.stopWatching();
    return entry;
  }

  async #answerIn(entry: Entry, request: Request, message: unknown): Promise<Response> {
    entry.requests += 1;
    if (this.#entries.get(entry.key) === entry) this.#idle.forget(entry.key);
    const leave = (): void => this.#leave(entry);
    try {
      const answer = await (await entry.session).answer(request, message);
      if (request.method === 'DELETE' && answer.ok) void this.#end(entry);
      return onBodyEnd(answer, leave);
    } catch (error) {
      leave();
      throw error;
    }
  }

  #leave(entry: Entry): void {
    entry.requests -= 1;
    entry.usedAtMs = performance.now();
    if (entry.requests > 0 || this.#entries.get(entry.key) !== entry) return;
    this.#idle.use(entry.key);
  }

  async #end(entry: Entry): Promise<void> {
    if (this.#entries.get(entry.key) !== entry) return;
    this.#entries.delete(entry.key);
    this.#idle.forget(entry.key);
    entry.stopWatching();
    const ending = this.#close(entry).finally(() => {
      entry.giveBack();
      this.#ending.delete(ending);
    });
    this.#ending.add(ending);
    await ending;
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new SandboxError('connection-lost', 'Cannot answer: the bridge is stopping');
  }

  async #close({ session }: Entry): Promise<void> {
    try {
      await (await session)[Symbol.asyncDispose]();
    } catch (error) {
      this.#options.onProblem(SandboxError.from(error).message);
    }
  }
}
