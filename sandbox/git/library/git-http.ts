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

/** How the library asks servers: with `fetch`, straight or through a bridge, for one exchange. */
export class GitHttp {
  readonly #proxy: GitProxyAddress | undefined;
  readonly #signal: AbortSignal;
  readonly #onBytes: (doneBytes: number) => void;
  /** Where the server has led to, within itself: what is asked next is asked there. */
  #moved: { readonly from: string; readonly to: string } | undefined;

  constructor(options: {
    readonly proxy: GitProxyAddress | undefined;
    readonly signal: AbortSignal;
    /** Told how many bytes of an answer have come. */
    readonly onBytes: (doneBytes: number) => void;
  }) {
    this.#proxy = options.proxy;
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
    const isQuestion = method === 'GET';
    const quiet = new QuietTimer(this.#signal);
    let answer: FetchedAnswer;
    try {
      answer = await fetch(target.href, {
        method,
        headers: { ...headers, ...(this.#proxy ? { 'x-coppice-token': this.#proxy.token } : {}) },
        body: isQuestion || !body ? undefined : await collect(body),
        redirect: isQuestion ? 'follow' : 'error',
        credentials: 'omit',
        cache: 'no-store',
        referrerPolicy: 'no-referrer',
        signal: quiet.signal,
      });
    } catch (cause) {
      quiet.end();
      throw quiet.failure(target) ?? unreachable(target, cause);
    }
    try {
      this.#note(target, answer.url);
    } catch (error) {
      quiet.end();
      await answer.body?.cancel().catch(() => undefined);
      throw error;
    }
    const given: Record<string, string> = {};
    answer.headers.forEach((value, name) => {
      given[name.toLowerCase()] = value;
    });
    const { status: statusCode, statusText: statusMessage } = answer;
    return {
      url,
      method,
      statusCode,
      statusMessage,
      headers: given,
      body: this.#read(answer, { target, quiet }),
    };
  };

  /** @throws invalid-argument for a URL that is not of https or http */
  #targetOf(url: URL): URL {
    if (url.protocol !== 'https:' && url.protocol !== 'http:') {
      throw new SandboxError(
        'invalid-argument',
        `Cannot ask ${url.protocol}//${url.host}: git here speaks https and http`,
      );
    }
    if (!this.#proxy) return url;
    const base = this.#proxy.url.replace(/\/+$/, '');
    return new URL(`${base}/git/${url.host}${url.pathname}${url.search}`);
  }

  /** A server may lead to another place of its own, or from http to https, and no further. @throws forbidden */
  #note(target: URL, reached: string): void {
    if (reached === '' || reached === target.href) return;
    const to = new URL(reached);
    const isUpgrade =
      target.protocol === 'http:' && to.protocol === 'https:' && to.hostname === target.hostname;
    const ends = target.pathname.endsWith('/info/refs') && to.pathname.endsWith('/info/refs');
    if (ends && to.search === target.search && (to.origin === target.origin || isUpgrade) && !this.#proxy) {
      this.#moved = { from: withoutRefs(target), to: withoutRefs(to) };
      return;
    }
    const where = `${to.origin}${to.pathname.replace(/\/info\/refs$/, '')}`.slice(0, 512);
    throw new SandboxError('forbidden', `Cannot follow ${target.host} to another server`, {
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
      quiet.end();
      await reader?.cancel().catch(() => undefined);
    }
  }
}

/** Gives a request up when its caller does, or when nothing has come for too long. */
class QuietTimer {
  readonly #late = new AbortController();
  readonly #asked: AbortSignal;
  readonly signal: AbortSignal;
  #timer: ReturnType<typeof setTimeout> | undefined;

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

  failure(target: URL): SandboxError | undefined {
    if (this.#asked.aborted) return new SandboxError('aborted', `The request to ${target.host} was given up`);
    if (!this.#late.signal.aborted) return undefined;
    return new SandboxError('timeout', `Cannot wait for ${target.host} any longer: it sends nothing`);
  }
}

function unreachable(target: URL, cause: unknown): SandboxError {
  const remedy =
    'Check the URL. A page reaches only servers that allow it: name a bridge as `proxy` that lists this one.';
  return new SandboxError('asset-unavailable', `Cannot reach ${target.host}`, { cause, details: { remedy } });
}

function withoutRefs({ origin, pathname }: URL): string {
  return `${origin}${pathname.slice(0, -'/info/refs'.length)}`;
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
