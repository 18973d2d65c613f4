import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** What Prometheus reads. No label has a value that a client chooses: those have no bound. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests: Histogram<'method' | 'route' | 'status'>;
  readonly #sockets: Gauge<'type'>;
  readonly #commands: Gauge;
  readonly #bytes: Counter<'direction' | 'type'>;

  /** `openSandboxes` is asked at each reading. */
  constructor(openSandboxes: () => number) {
    const registers = [this.#registry];
    this.#requests = new Histogram({
      name: 'http_server_request_duration_seconds',
      help: 'Duration of HTTP requests, until the last byte of the answer.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2, 10, 60],
      registers,
    });
    this.#sockets = new Gauge({
      name: 'coppice_sockets',
      help: 'WebSockets open now.',
      labelNames: ['type'],
      registers,
    });
    this.#commands = new Gauge({
      name: 'coppice_commands_running',
      help: 'Commands started over HTTP that run now.',
      registers,
    });
    this.#bytes = new Counter({
      name: 'coppice_transferred_bytes_total',
      help: 'Bytes of files, archives, command output, terminals, ports and git.',
      labelNames: ['direction', 'type'],
      registers,
    });
    new Gauge({
      name: 'coppice_sandboxes_open',
      help: 'Sandboxes open now.',
      registers,
      collect() {
        this.set(openSandboxes());
      },
    });
  }

  /** The text format and its content type. */
  async read(): Promise<{ text: string; contentType: string }> {
    return { text: await this.#registry.metrics(), contentType: this.#registry.contentType };
  }

  /** `route` is the pattern that matched, never the path. */
  answered(labels: { method: string; route: string; status: number; durationMs: number }): void {
    const { durationMs, ...rest } = labels;
    this.#requests.observe(rest, durationMs / 1000);
  }

  /** Counts a socket until the returned function is called. */
  socketOpened(type: 'terminal' | 'port' | 'connect'): () => void {
    this.#sockets.inc({ type });
    return () => this.#sockets.dec({ type });
  }

  /** Counts a command until the returned function is called. */
  commandStarted(): () => void {
    this.#commands.inc();
    return () => this.#commands.dec();
  }

  moved(
    direction: 'in' | 'out',
    facts: { type: 'file' | 'archive' | 'command' | 'terminal' | 'port' | 'git'; bytes: number },
  ): void {
    this.#bytes.inc({ direction, type: facts.type }, facts.bytes);
  }
}
