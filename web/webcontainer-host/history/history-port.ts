import { SandboxError } from '../../../protocol/errors.ts';
import { hostLimits } from '../limits.ts';
import type { HistoryMethods } from './history-methods.ts';

/** What a page says to the host's window to reach the history of its instance, with a port for requests. */
export const historyHello = 'coppice-history';

/** Gives pages the history of an instance through ports, of which the oldest is closed when there are too many. */
export class HistoryServer {
  readonly #methods: () => HistoryMethods;
  /** Oldest first. */
  readonly #ports = new Set<MessagePort>();
  #requests = 0;

  /** `methods` throws where there is no instance. */
  constructor(methods: () => HistoryMethods) {
    this.#methods = methods;
  }

  /** Answers requests `{ id, method, argument }`, each with `{ id, value }` or `{ id, error }`; says `{}` first. */
  serve(port: MessagePort): void {
    const [oldest] = this.#ports;
    if (oldest && this.#ports.size >= hostLimits.historyPorts) {
      oldest.close();
      this.#ports.delete(oldest);
    }
    this.#ports.add(port);
    port.onmessage = async ({ data }: MessageEvent<unknown>) => {
      if (typeof data !== 'object' || data === null) return;
      const { id, method, argument } = data as Record<string, unknown>;
      if (typeof id !== 'number' || typeof method !== 'string') return;
      try {
        port.postMessage({ id, value: await this.#run(method, argument) });
      } catch (cause) {
        port.postMessage({ id, error: SandboxError.from(cause).toData() });
      }
    };
    port.postMessage({});
  }

  async #run(method: string, argument: unknown): Promise<unknown> {
    if (this.#requests >= hostLimits.requests)
      throw new SandboxError('busy', `More than ${hostLimits.requests} requests are under way`);
    this.#requests++;
    try {
      const all = this.#methods();
      const run = Object.hasOwn(all, method) ? all[method] : undefined;
      if (!run) throw new SandboxError('unsupported', `The history has no ${JSON.stringify(method)}`);
      return await run(argument);
    } finally {
      this.#requests--;
    }
  }
}
