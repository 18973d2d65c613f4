import { previewPath } from './preview-messages.ts';

/** The address of one port's preview, and the key by which its page is known. */
export interface PreviewAddress {
  readonly url: string;
  /** Of the page; `undefined` where there is none, as that of the host must not be one of previews. */
  readonly origin: string | undefined;
  readonly key: string;
}

/** What a frame shows where there is nothing for previews. */
const withoutPreview = `data:text/plain;charset=utf-8,${encodeURIComponent(
  'Nothing is shown here: this site has no origin for previews. Set preview=https://*.preview.example.com (docs/guides/host-webcontainer-apps-yourself.md).',
)}`;

/** Gives each port of an instance an address, at an origin of its own where `*` in `pattern` allows that. */
export class PreviewAddresses {
  readonly #host: string;
  readonly #pattern: string | undefined;
  readonly #byPort = new Map<number, PreviewAddress>();

  /** Names below `localhost`, and below those, are the visitor's own machine, which is `127.0.0.1` too: no pattern is needed there. */
  constructor(
    { origin, hostname, protocol, port }: Pick<Location, 'origin' | 'hostname' | 'protocol' | 'port'>,
    pattern: string | undefined,
  ) {
    this.#host = origin;
    const own = hostname === '127.0.0.1' ? 'localhost' : hostname;
    const isOwn = /(^|\.)localhost$/.test(own);
    this.#pattern = pattern ?? (isOwn ? `${protocol}//*.${own}${port === '' ? '' : `:${port}`}` : undefined);
  }

  of(port: number): PreviewAddress {
    const known = this.#byPort.get(port);
    if (known) return known;
    const key = crypto.randomUUID();
    const origin = this.#originFor(`${key.slice(0, 8)}-${port}`);
    const url = origin === undefined ? withoutPreview : `${origin}${previewPath}#key=${key}`;
    const address = { url, origin, key };
    this.#byPort.set(port, address);
    return address;
  }

  /** The port that a page at `origin` with this key shows. */
  find(key: unknown, origin: string): number | undefined {
    for (const [port, address] of this.#byPort) {
      if (address.key === key && address.origin === origin) return port;
    }
    return undefined;
  }

  #originFor(name: string): string | undefined {
    const url = URL.parse(this.#pattern?.replace('*', name) ?? '');
    // At the host's origin a page of the sandbox could read all sandboxes.
    return url === null || url.origin === this.#host ? undefined : url.origin;
  }
}
