import { previewPath } from './preview-messages.ts';

/** The address of one port's preview, and the key by which its page is known. */
export interface PreviewAddress {
  readonly url: string;
  /** Of the page; nothing of the host's origin, which previews must not have. */
  readonly origin: string | undefined;
  readonly key: string;
}

/** Gives each port of an instance an address, at an origin of its own where `*` in `pattern` allows that. */
export class PreviewAddresses {
  readonly #host: string;
  readonly #pattern: string | undefined;
  readonly #byPort = new Map<number, PreviewAddress>();

  /** Names below `localhost`, and below those, are the visitor's own machine: no pattern is needed there. */
  constructor(
    { origin, hostname, protocol, port }: Pick<Location, 'origin' | 'hostname' | 'protocol' | 'port'>,
    pattern: string | undefined,
  ) {
    this.#host = origin;
    const isOwn = /(^|\.)localhost$/.test(hostname);
    this.#pattern =
      pattern ?? (isOwn ? `${protocol}//*.${hostname}${port === '' ? '' : `:${port}`}` : undefined);
  }

  of(port: number): PreviewAddress {
    const known = this.#byPort.get(port);
    if (known) return known;
    const key = crypto.randomUUID();
    const origin = this.#originFor(`${key.slice(0, 8)}-${port}`);
    const fragment = new URLSearchParams({ host: this.#host, key });
    const address = { url: `${origin ?? this.#host}${previewPath}#${fragment}`, origin, key };
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
