import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import type { Network, PortConnection } from '../../../sdk/network.ts';
import { hostLimits } from '../limits.ts';
import { exchangeHttp, type HttpAnswer } from './http-exchange.ts';
import { type ForwardErrors, insertScripts, type PreviewScript, pageScripts } from './page-scripts.ts';
import type { PreviewAnswer, PreviewReport, PreviewRequest } from './preview-messages.ts';

export interface PreviewServerOptions {
  readonly network: Network;
  readonly port: number;
  readonly forward: ForwardErrors;
  readonly script: () => PreviewScript | undefined;
  readonly onReport: (message: unknown) => void;
}

/** Answers the requests of one preview with what a server in the sandbox answers. Whoever opens it closes it. */
export class PreviewServer {
  readonly #options: PreviewServerOptions;
  readonly #link: MessagePort;
  readonly #exchanges = new Set<MessagePort>();

  constructor(link: MessagePort, options: PreviewServerOptions) {
    this.#link = link;
    this.#options = options;
    link.onmessage = ({ data, ports }: MessageEvent<unknown>) => this.#take(data, ports[0]);
    link.postMessage({ type: 'ready' });
  }

  close(): void {
    this.#link.close();
    for (const port of this.#exchanges) port.close();
    this.#exchanges.clear();
  }

  #take(data: unknown, port: MessagePort | undefined): void {
    if (isReport(data)) this.#options.onReport(data.message);
    else if (isRequest(data) && port) void this.#exchange(data, port);
    else port?.close();
  }

  async #exchange(request: PreviewRequest, port: MessagePort): Promise<void> {
    const tell = (answer: PreviewAnswer): void => port.postMessage(answer);
    let connection: PortConnection | undefined;
    this.#exchanges.add(port);
    try {
      if (this.#exchanges.size > hostLimits.previewRequests)
        throw new SandboxError('busy', 'The preview has too many requests under way: reload it');
      const { network, port: number } = this.#options;
      connection = await network.connect(number);
      const answer = await exchangeHttp(connection, { request, port: number });
      const body = this.#withScripts(answer);
      const pulls = pullsOf(port, { onCancel: () => void connection?.close().catch(() => undefined) });
      tell(answer.head);
      for await (const bytes of body) {
        if (!(await pulls.next())) return;
        tell({ type: 'piece', bytes });
      }
      if (await pulls.next()) tell({ type: 'end' });
    } catch (cause) {
      tell({ type: 'failure', message: SandboxError.from(cause).message });
    } finally {
      await connection?.close().catch(() => undefined); // It may be lost.
      this.#exchanges.delete(port);
      // The last message is to be taken before.
      setTimeout(() => port.close(), hostLimits.portCloseMs);
    }
  }

  async *#withScripts({ head, body }: HttpAnswer): AsyncGenerator<Uint8Array, void> {
    const { forward, script } = this.#options;
    const isPage = head.headers.some(
      ([name, value]) => name === 'content-type' && /^text\/html\b/i.test(value),
    );
    let scripts = isPage ? pageScripts(forward, script()) : '';
    for await (const bytes of body) {
      yield scripts === '' ? bytes : insertScripts(bytes, scripts);
      scripts = '';
    }
  }
}

/** Waits for the reader to want more; answers `false` once it has given up, or wants nothing for too long. */
function pullsOf(port: MessagePort, { onCancel }: { onCancel: () => void }): { next(): Promise<boolean> } {
  let wanted = 0;
  let isOver = false;
  let waiting: PromiseWithResolvers<void> | undefined;
  port.onmessage = ({ data }: MessageEvent<unknown>) => {
    if (data === 'pull') wanted++;
    else {
      isOver = true;
      onCancel();
    }
    waiting?.resolve();
  };
  return {
    next: async () => {
      while (wanted === 0 && !isOver) {
        waiting = Promise.withResolvers();
        const timer = setTimeout(() => {
          isOver = true;
          waiting?.resolve();
        }, hostLimits.previewIdleMs);
        await waiting.promise;
        clearTimeout(timer);
      }
      wanted--;
      return !isOver;
    },
  };
}

function isReport(data: unknown): data is PreviewReport {
  return isRecord(data) && data.type === 'report';
}

function isRequest(data: unknown): data is PreviewRequest {
  if (!isRecord(data) || data.type !== 'request') return false;
  const { method, path, headers, body } = data;
  const isBody = body === undefined || (body instanceof Uint8Array && body.length <= limits.uploadBytes);
  return (
    typeof method === 'string' &&
    typeof path === 'string' &&
    isBody &&
    Array.isArray(headers) &&
    headers.every(isHeader)
  );
}

function isHeader(value: unknown): boolean {
  return Array.isArray(value) && value.length === 2 && value.every((text) => typeof text === 'string');
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
