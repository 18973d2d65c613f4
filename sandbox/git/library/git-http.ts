import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import type { GitProxyAddress } from '../../../protocol/sandbox/git.ts';
import { joinBytes } from '../../../tree/join-bytes.ts';

interface HttpRequest {
  readonly url: string;
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: Iterable<Uint8Array> | AsyncIterable<Uint8Array> | undefined;
}

interface HttpAnswer {
  readonly url: string;
  readonly method: string;
  readonly statusCode: number;
  readonly statusMessage: string;
  readonly headers: Record<string, string>;
  readonly body: AsyncIterableIterator<Uint8Array>;
}

interface FetchRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer> | undefined;
  readonly quiet: QuietTimer;
}

/** How the library asks servers: with `fetch`, straight or through a bridge, for one exchange. Its owner closes it. */
export class GitHttp {
  readonly #proxy: GitProxyAddress | undefined;
  readonly #servers: readonly string[] | undefined;
  readonly #signal: AbortSignal;
  readonly #onBytes: (doneBytes: number) => void;
  readonly #open = new Set<QuietTimer>();
  /** Where the server has led to, within itself: what is asked next is asked there. */
  #moved: { readonly from: string; readonly to: string } | undefined;

  constructor(options: {
    readonly proxy: GitProxyAddress | undefined;
    /** The servers that may be asked, by name and port, whatever a repository or a server says; all by default. */
    readonly servers: readonly string[] | undefined;
    readonly signal: AbortSignal;
    /** Told how many bytes of an answer have come. */
    readonly onBytes: (doneBytes: number) => void;
  }) {
    this.#proxy = options.proxy;
    this.#servers = options.servers;
    this.#signal = options.signal;
    this.#onBytes = options.onBytes;
  }

  /** @throws forbidden (another server), asset-unavailable, limit-exceeded, invalid-argument, timeout */
  readonly request = async ({
    url,
    method = 'GET',
    headers = {},
    body,
  }: HttpRequest): Promise<HttpAnswer> => {
    const from =
      this.#moved && url.startsWith(this.#moved.from) ? url.replace(this.#moved.from, this.#moved.to) : url;
    const target = this.#targetOf(new URL(from));
    const bytes = method === 'GET' || !body ? undefined : await collect(body);
    const quiet = new QuietTimer(this.#signal);
    this.#open.add(quiet);
    try {
      const answer = await this.#ask(target, { method, headers, body: bytes, quiet });
      const given: Record<string, string> = {};
      answer.headers.forEach((value, name) => {
        given[name.toLowerCase()] = value;
      });
      const { status: statusCode, statusText: statusMessage } = answer;
      const shared = { url, method, statusCode, statusMessage, headers: given };
      if (statusCode === 200) return { ...shared, body: this.#read(answer, { target, quiet }) };
      // Of another status the library reads the body late, or never.
      await answer.body?.cancel().catch(() => undefined);
      this.#end(quiet);
      return { ...shared, body: nothing() };
    } catch (error) {
      this.#end(quiet);
      throw error;
    }
  };

  /** Aborts the requests whose answers were not read to their end. */
  close(): void {
    for (const quiet of this.#open) quiet.abandon();
    this.#open.clear();
  }

  /** Asks, and follows the server within itself: each place is checked before it is asked. */
  async #ask(target: URL, request: FetchRequest): Promise<FetchedAnswer> {
    let place = target;
    for (let hops = 0; hops <= limits.gitRedirects; hops++) {
      const answer = await this.#fetch(place, { ...request, redirect: 'manual' });
      const to = redirectOf(answer, place);
      if (to === undefined) return answer;
      await answer.body?.cancel().catch(() => undefined);
      if (to === 'hidden') return this.#follow(place, request);
      this.#recordMove(target, to, request);
      place = this.#targetOf(to);
    }
    throw new SandboxError('asset-unavailable', `Cannot follow ${target.host}: it leads on and on`);
  }

  /** In a page, which is not told where to before it has been there, and reads only answers of servers that let it. */
  async #follow(target: URL, request: FetchRequest): Promise<FetchedAnswer> {
    const mayLead = request.method === 'GET' && !this.#proxy && !this.#servers;
    const answer = await this.#fetch(target, { ...request, redirect: mayLead ? 'follow' : 'error' });
    try {
      this.#recordMove(target, new URL(answer.url), request);
      return answer;
    } catch (error) {
      await answer.body?.cancel().catch(() => undefined);
      throw error;
    }
  }

  async #fetch(
    target: URL,
    request: FetchRequest & { readonly redirect: 'manual' | 'follow' | 'error' },
  ): Promise<FetchedAnswer> {
    const { method, headers, body, redirect, quiet } = request;
    try {
      return await fetch(target.href, {
        method,
        headers: { ...headers, ...(this.#proxy ? { 'x-coppice-token': this.#proxy.token } : {}) },
        body,
        redirect,
        credentials: 'omit',
        cache: 'no-store',
        referrerPolicy: 'no-referrer',
        signal: quiet.signal,
      });
    } catch (cause) {
      // What asks may refuse by itself.
      if (cause instanceof SandboxError) throw cause;
      throw quiet.failure(target) ?? unreachable(target, cause);
    }
  }

  /** @throws invalid-argument for a URL that is not of https or http; forbidden for a server that may not be asked */
  #targetOf(url: URL): URL {
    if (url.protocol !== 'https:' && url.protocol !== 'http:') {
      throw new SandboxError(
        'invalid-argument',
        `Cannot ask ${url.protocol}//${url.host}: git here speaks https and http`,
      );
    }
    if (this.#servers && !this.#servers.includes(url.host)) {
      throw new SandboxError(
        'forbidden',
        `Cannot ask ${url.host}: it is not among the servers for git here`,
        {
          details: { remedy: 'Have whoever makes the backend list it.' },
        },
      );
    }
    if (!this.#proxy) return url;
    const base = this.#proxy.url.replace(/\/+$/, '');
    return new URL(`${base}/git/${url.host}${url.pathname}${url.search}`);
  }

  /** A server may lead to another place of its own, or from http to https, and no further. @throws forbidden */
  #recordMove(target: URL, to: URL, { method }: Pick<FetchRequest, 'method'>): void {
    const isUpgrade =
      target.protocol === 'http:' && to.protocol === 'https:' && to.hostname === target.hostname;
    const ends = target.pathname.endsWith('/info/refs') && to.pathname.endsWith('/info/refs');
    const isWithin = ends && to.search === target.search && (to.origin === target.origin || isUpgrade);
    if (isWithin && method === 'GET' && !this.#proxy) {
      this.#moved = { from: withoutRefs(target), to: withoutRefs(to) };
      return;
    }
    const where = `${to.origin}${to.pathname.replace(/\/info\/refs$/, '')}`.slice(0, 512);
    throw new SandboxError('forbidden', `Cannot follow ${target.host} to another place`, {
      details: { location: where, remedy: "Use that address, if it is the repository's." },
    });
  }

  async *#read(
    answer: FetchedAnswer,
    { target, quiet }: { target: URL; quiet: QuietTimer },
  ): AsyncGenerator<Uint8Array> {
    const reader = answer.body?.getReader();
    let doneBytes = 0;
    try {
      for (;;) {
        quiet.touch();
        const piece = await reader?.read().catch((cause) => {
          // The exchange has ended: nothing reads on.
          if (quiet.isAbandoned) return undefined;
          throw quiet.failure(target) ?? unreachable(target, cause);
        });
        if (!piece?.value) return;
        doneBytes += piece.value.length;
        if (doneBytes > limits.gitFetchedBytes) {
          const message = `Cannot take in what ${target.host} sends: it has more than ${limits.gitFetchedBytes} bytes`;
          throw new SandboxError('limit-exceeded', message, { details: { remedy: 'Clone with a depth.' } });
        }
        this.#onBytes(doneBytes);
        yield piece.value;
      }
    } finally {
      this.#end(quiet);
      await reader?.cancel().catch(() => undefined);
    }
  }

  #end(quiet: QuietTimer): void {
    quiet.end();
    this.#open.delete(quiet);
  }
}

/** Aborts a request when its caller does, or when nothing has come for too long. */
class QuietTimer {
  readonly #late = new AbortController();
  readonly #asked: AbortSignal;
  readonly signal: AbortSignal;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether the exchange has ended, and its answer is not read any more. */
  isAbandoned = false;

  constructor(asked: AbortSignal) {
    this.#asked = asked;
    this.signal = AbortSignal.any([asked, this.#late.signal]);
    this.touch();
  }

  touch(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#late.abort(), limits.gitIdleTimeoutMs);
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  abandon(): void {
    this.end();
    this.isAbandoned = true;
    this.#late.abort();
  }

  failure(target: URL): SandboxError | undefined {
    if (this.#asked.aborted) return new SandboxError('aborted', `The request to ${target.host} was given up`);
    if (!this.#late.signal.aborted) return undefined;
    return new SandboxError('timeout', `Cannot wait for ${target.host} any longer: it sends nothing`);
  }
}

const redirects = [301, 302, 303, 307, 308];

/** Where an answer leads to; `hidden` where a page is not told; `undefined` where it is no redirect. */
function redirectOf(answer: FetchedAnswer, from: URL): URL | 'hidden' | undefined {
  if (answer.type === 'opaqueredirect') return 'hidden';
  if (!redirects.includes(answer.status)) return undefined;
  let location = '';
  answer.headers.forEach((value, name) => {
    if (name.toLowerCase() === 'location') location = value;
  });
  return location !== '' && URL.canParse(location, from.href) ? new URL(location, from.href) : undefined;
}

function unreachable(target: URL, cause: unknown): SandboxError {
  const remedy =
    'Check the URL. A page reaches only servers that allow it: name a bridge as `proxy` that lists this one.';
  const details = { remedy, needs: 'proxy' };
  return new SandboxError('asset-unavailable', `Cannot reach ${target.host}`, { cause, details });
}

function withoutRefs({ origin, pathname }: URL): string {
  return `${origin}${pathname.slice(0, -'/info/refs'.length)}`;
}

async function* nothing(): AsyncGenerator<Uint8Array> {
  yield* [];
}

async function collect(
  body: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body) {
    pieces.push(piece);
    length += piece.length;
  }
  return joinBytes(pieces, length) as Uint8Array<ArrayBuffer>;
}
