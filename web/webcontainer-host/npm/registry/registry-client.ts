import { joinBytes } from '../../../../tree/join-bytes.ts';
import { isRecord } from '../../is-record.ts';
import { installLimits } from '../limits.ts';
import { parseJson } from '../manifest.ts';
import { NpmError } from '../npm-error.ts';
import { verifyIntegrity } from './integrity.ts';
import type { PackageCache } from './package-cache.ts';
import type { RegistrySettings } from './registry-settings.ts';
import { RequestSlots } from './request-slots.ts';

/** What a registry says of a package: versions by number, and tags. */
export interface PackageDocument {
  readonly versions: Readonly<Record<string, unknown>>;
  readonly tags: Readonly<Record<string, unknown>>;
}

export interface RegistryClientParts {
  readonly settings: RegistrySettings;
  readonly fetch: typeof fetch;
  readonly cache: PackageCache | undefined;
  readonly signal: AbortSignal;
}

/** The short form of a document, which registries that know it send instead of the whole. */
const documentTypes = 'application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*';

/** Asks registries, a few at a time, with nothing that tells who asks: no cookies, no tokens. */
export class RegistryClient {
  readonly #parts: RegistryClientParts;
  readonly #slots = new RequestSlots(installLimits.parallelRequests);
  readonly #documents = new Map<string, Promise<PackageDocument>>();

  constructor(parts: RegistryClientParts) {
    this.#parts = parts;
  }

  /** Asked once per name. @throws NpmError E404, EREGISTRY, ENOREGISTRY, ELIMIT */
  document(name: string): Promise<PackageDocument> {
    const known = this.#documents.get(name);
    if (known) return known;
    const asked = this.#slots.run(() => this.#askDocument(name));
    this.#documents.set(name, asked);
    // Documents are asked for ahead of their use.
    asked.catch(() => undefined);
    return asked;
  }

  /** Where the registry that is set has what a lock says is at `url` of another one, as npm's `replace-registry-host=always`. */
  addressOf(url: string, packageName: string): string {
    const path = new URL(url).pathname;
    const own = `${packageName}/-/`;
    const at = path.lastIndexOf(own);
    return at < 0 ? url : `${this.#parts.settings.of(packageName)}${path.slice(at)}`;
  }

  /** The archive at an address; with `integrity`, what it has to be. @throws NpmError EINTEGRITY, E404, EREGISTRY, ELIMIT */
  archive(url: string, integrity: string | undefined): Promise<Uint8Array<ArrayBuffer>> {
    return this.#slots.run(async () => {
      const { cache } = this.#parts;
      const kept = integrity === undefined ? undefined : await cache?.get(url);
      if (kept && integrity !== undefined) {
        const isWhole = await verifyIntegrity(kept, { integrity, what: url }).then(
          () => true,
          () => false,
        );
        if (isWhole) return kept;
      }
      const bytes = await this.#get(url, { accept: '*/*', mostBytes: installLimits.archiveBytes });
      if (integrity !== undefined) await verifyIntegrity(bytes, { integrity, what: url });
      await cache?.put(url, bytes);
      return bytes;
    });
  }

  async #askDocument(name: string): Promise<PackageDocument> {
    const { settings, cache } = this.#parts;
    const url = `${settings.of(name)}${name.replace('/', '%2f')}`;
    let bytes: Uint8Array<ArrayBuffer>;
    try {
      bytes = await this.#get(url, { accept: documentTypes, mostBytes: installLimits.documentBytes });
      await cache?.put(url, bytes);
    } catch (error) {
      if (!(error instanceof NpmError) || error.code !== 'EREGISTRY') throw error;
      // Offline, what it said the last time.
      const kept = await cache?.get(url);
      if (!kept) throw error;
      bytes = kept;
    }
    const document = parseJson(new TextDecoder().decode(bytes), url);
    if (isRecord(document) && isRecord(document.versions)) {
      const tags = document['dist-tags'];
      return { versions: document.versions, tags: isRecord(tags) ? tags : {} };
    }
    throw new NpmError('EREGISTRY', `${url} is no description of a package: is this address a registry?`);
  }

  async #get(
    url: string,
    { accept, mostBytes }: { readonly accept: string; readonly mostBytes: number },
  ): Promise<Uint8Array<ArrayBuffer>> {
    const { fetch, settings, signal } = this.#parts;
    signal.throwIfAborted();
    settings.assertMayAsk(url);
    const options = {
      // A registry may send to another server; one that the sandbox names must not send to the visitor's own machine.
      redirect: settings.isTrusted(url) ? ('follow' as const) : ('error' as const),
      ...({ credentials: 'omit', referrerPolicy: 'no-referrer', headers: { accept } } as const),
      signal: AbortSignal.any([signal, AbortSignal.timeout(installLimits.requestMs)]),
    };
    let answer: Response;
    try {
      answer = await fetch(url, options);
      if (answer.ok) return await readBounded(answer, { url, mostBytes });
    } catch (cause) {
      signal.throwIfAborted();
      if (cause instanceof NpmError) throw cause;
      throw unreachable(url, cause);
    }
    void answer.body?.cancel().catch(() => undefined);
    const said = `${answer.status} ${answer.statusText} - GET ${url}`.replace(/\s+-/, ' -');
    if (answer.status === 404) throw new NpmError('E404', said);
    throw new NpmError('EREGISTRY', said);
  }
}

async function readBounded(
  answer: Response,
  { url, mostBytes }: { readonly url: string; readonly mostBytes: number },
): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const reader = answer.body?.getReader();
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
    length += read.value.length;
    if (length > mostBytes) {
      void reader?.cancel().catch(() => undefined);
      throw new NpmError('ELIMIT', `${url} has more than ${mostBytes} bytes`);
    }
    pieces.push(read.value);
  }
  return joinBytes(pieces, length) as Uint8Array<ArrayBuffer>;
}

function unreachable(url: string, cause: unknown): NpmError {
  const isLate = cause instanceof DOMException && cause.name === 'TimeoutError';
  const why = isLate
    ? `it did not answer within ${installLimits.requestMs / 1_000} s`
    : 'the server is not there, or it does not let pages of other origins read its answers (CORS). Name a registry that does';
  return new NpmError('EREGISTRY', `Cannot read ${url}: ${why}`, { cause });
}
