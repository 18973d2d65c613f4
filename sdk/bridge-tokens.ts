import type { NewToken, RenewedToken, TokenInfo, TokenOptions } from '../protocol/api-token.ts';
import { isErrorData, SandboxError } from '../protocol/errors.ts';
import { limits } from '../protocol/limits.ts';
import {
  flag,
  isObject,
  list,
  number,
  oneOf,
  optional,
  record,
  type Schema,
  text,
} from '../protocol/schema.ts';
import type { TokenSource } from './token-source.ts';

/** The parts of the platform that are used here: browsers and Node have them alike. */
interface Platform {
  fetch(
    url: string,
    init: { method: string; headers: Record<string, string>; body?: string; signal: AbortSignal },
  ): Promise<{ readonly ok: boolean; readonly status: number; text(): Promise<string> }>;
}

interface Asked<T> {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly json?: unknown;
  readonly schema: Schema<T>;
}

const scope: Schema<TokenInfo['scope']> = (value, where) =>
  value === 'all' ? value : record<{ sandboxes: string[] }>({ sandboxes: list(text) })(value, where);
const infoFields = {
  id: text,
  name: text,
  scope,
  access: oneOf('read', 'write'),
  createdAtMs: number,
  expiresAtMs: optional(number),
  renewableUntilMs: optional(number),
  lastUsedAtMs: optional(number),
  madeBy: optional(text),
};
const newToken: Schema<NewToken> = record<NewToken>({ ...infoFields, token: text });
const renewed = record<RenewedToken>({ ...infoFields, expiresInMs: number, isRenewable: flag });
const page = record<{ items: TokenInfo[]; next: string | undefined }>({
  items: list(record<TokenInfo>(infoFields)),
  next: optional(text),
});
const nothing: Schema<void> = () => undefined;

/** The tokens of a bridge: `bridge.tokens`. What is made here can and lasts no more than the token of the connection. */
export class BridgeTokens {
  readonly #url: string;
  readonly #source: TokenSource;

  /** `url` is `http:` or `https:`, without a slash at its end. */
  constructor({ url, source }: { url: string; source: TokenSource }) {
    this.#url = url;
    this.#source = source;
  }

  /**
   * Makes a token: for a page, say, of one sandbox, and for a quarter of an hour unless `ttlMs` says otherwise.
   * @throws forbidden, not-found, invalid-argument, limit-exceeded, unauthenticated
   */
  async create(options: TokenOptions): Promise<NewToken> {
    return this.#ask({ method: 'POST', path: '', json: options, schema: newToken });
  }

  /** Every token that this one sees, oldest first; never their texts. @throws unauthenticated */
  async list(): Promise<TokenInfo[]> {
    const all: TokenInfo[] = [];
    let cursor = '';
    while (all.length <= limits.registryTokens) {
      const path = `?limit=${limits.pageItems.max}${cursor}`;
      const { items, next } = await this.#ask({ method: 'GET', path, schema: page });
      all.push(...items);
      if (next === undefined) break;
      cursor = `&cursor=${encodeURIComponent(next)}`;
    }
    return all;
  }

  /** Revokes a token and those made with it: what is open on behalf of them is closed. @throws not-found, forbidden */
  async revoke(id: string): Promise<void> {
    await this.#ask({ method: 'DELETE', path: `/${encodeURIComponent(id)}`, schema: nothing });
  }

  /**
   * Lets the token of this connection last as long again as it did at first, where it was made to (`renewableMs`).
   * A connection does so by itself before its token ends. @throws forbidden, unauthenticated
   */
  async renew(): Promise<RenewedToken> {
    return this.#ask({ method: 'POST', path: '/renew', schema: renewed });
  }

  /** A token that is refused may have ended since it was given out: another one is tried, once. */
  async #ask<T>(asked: Asked<T>): Promise<T> {
    const token = await this.#source.current();
    try {
      return await this.#askWith(token, asked);
    } catch (error) {
      const isRefused = error instanceof SandboxError && error.code === 'unauthenticated';
      if (!isRefused || !this.#source.hasOthers) throw error;
      return this.#askWith(await this.#source.next(), asked);
    }
  }

  async #askWith<T>(token: string, { method, path, json, schema }: Asked<T>): Promise<T> {
    const { fetch } = globalThis as unknown as Platform;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = json === undefined ? {} : { body: JSON.stringify(json) };
    const signal = AbortSignal.timeout(limits.requestTimeoutMs);
    try {
      const answer = await fetch(`${this.#url}/v1/tokens${path}`, { method, headers, ...body, signal });
      const said = parse(await answer.text());
      if (answer.ok) return schema(said, 'the answer');
      throw errorOf(said, answer.status);
    } catch (cause) {
      if (cause instanceof SandboxError) throw cause;
      throw new SandboxError('connection-lost', `Cannot reach the bridge at ${this.#url}`, { cause });
    }
  }
}

/** What is no JSON says nothing: a proxy in between answers with a page of its own. */
function parse(body: string): unknown {
  try {
    return body === '' ? undefined : JSON.parse(body);
  } catch {
    return undefined;
  }
}

function errorOf(said: unknown, status: number): SandboxError {
  if (isObject(said) && isErrorData(said.error)) return SandboxError.from(said.error);
  return new SandboxError('connection-lost', `The bridge answered with status ${status}, and not why`);
}
