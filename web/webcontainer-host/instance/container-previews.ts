import { SandboxError } from '../../../protocol/errors.ts';
import { describeRuntime } from '../../../protocol/runtime-description.ts';
import type { Sandbox } from '../../../sdk/sandbox.ts';
import { hostLimits } from '../limits.ts';
import type { ForwardErrors, PreviewScript } from '../preview/page-scripts.ts';
import type { PreviewAddresses } from '../preview/preview-addresses.ts';
import { PreviewServer } from '../preview/preview-server.ts';
import type { ContainerEvents } from './container-events.ts';
import { ListeningPorts } from './listening-ports.ts';
import { parsePreviewReport } from './preview-report.ts';

export interface PreviewOptions {
  readonly addresses: PreviewAddresses;
  /** The origin of the page that shows them. */
  readonly embedder: string;
  readonly forward: ForwardErrors;
}

/** The servers of a container: tells of ports, and answers the pages that show them. Whoever opens it closes it. */
export class ContainerPreviews {
  readonly #sandbox: Sandbox;
  readonly #options: PreviewOptions & { readonly events: ContainerEvents };
  readonly #ports: ListeningPorts;
  /** Oldest first. */
  readonly #servers = new Set<PreviewServer>();
  readonly #onMessage = (event: MessageEvent<unknown>): void => this.#connect(event);
  #script: PreviewScript | undefined;
  #hasSpawned = false;

  constructor(sandbox: Sandbox, options: PreviewOptions & { events: ContainerEvents }) {
    const { events, addresses } = options;
    this.#sandbox = sandbox;
    this.#options = options;
    this.#ports = new ListeningPorts((opened, closed) => {
      for (const port of closed) events.emit('port', port, 'close', addresses.of(port).url);
      for (const port of opened) {
        events.emit('port', port, 'open', addresses.of(port).url);
        events.emit('server-ready', port, addresses.of(port).url);
      }
    });
    addEventListener('message', this.#onMessage);
  }

  /** Something runs that may listen. */
  onSpawn(): void {
    this.#hasSpawned = true;
    this.watch();
  }

  /** Looks at the ports from now on, where somebody wants to know and programs can have any. */
  watch(): void {
    if (!this.#hasSpawned || !describeRuntime(this.#sandbox.info.runtime)?.previews) return;
    if (this.#options.events.has('port', 'server-ready')) this.#ports.start(this.#sandbox.connection);
  }

  /** Puts a script into pages that are loaded from now on. @throws invalid-argument */
  setScript(source: unknown, options: unknown): void {
    if (typeof source !== 'string' || source.length > hostLimits.reportCharacters)
      throw new SandboxError('invalid-argument', 'Cannot set the preview script: its address is no text');
    const { type, defer, async: isAsync } = (options ?? {}) as Record<string, unknown>;
    this.#script = {
      source,
      type: type === 'module' || type === 'importmap' ? type : undefined,
      isDeferred: defer === true,
      isAsync: isAsync === true,
    };
  }

  close(): void {
    removeEventListener('message', this.#onMessage);
    this.#ports.close();
    for (const server of this.#servers) server.close('ended');
    this.#servers.clear();
  }

  /** A page of a preview asks for its host. Others are not answered. */
  #connect({ data, origin, ports: [link] }: MessageEvent<unknown>): void {
    if (typeof data !== 'object' || data === null || !('type' in data) || data.type !== 'coppice-preview')
      return;
    const { addresses, embedder, forward, events } = this.#options;
    const port = addresses.find('key' in data ? data.key : undefined, origin);
    if (port === undefined || !link) return;
    const [oldest] = this.#servers;
    if (oldest && this.#servers.size >= hostLimits.previews) {
      oldest.close();
      this.#servers.delete(oldest);
    }
    const previewId = crypto.randomUUID();
    const server = new PreviewServer(link, {
      ...{ network: this.#sandbox.network, port, embedder, forward },
      script: () => this.#script,
      onReport: (message) => {
        const report = parsePreviewReport(message);
        if (report && forward !== false) events.emit('preview-message', { ...report, previewId, port });
      },
    });
    this.#servers.add(server);
  }
}
