import { orAborted } from '../../../protocol/abort.ts';
import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import type { Network, PortConnection } from '../../../sdk/network.ts';
import { isRecord } from '../is-record.ts';
import { hostLimits } from '../limits.ts';
import { exchangeHttp, type HttpAnswer } from './http-exchange.ts';
import { type ForwardErrors, insertScripts, type PreviewScript, pageScripts } from './page-scripts.ts';
import type { HostMessage, PreviewAnswer, PreviewReport, PreviewRequest } from './preview-messages.ts';

export interface PreviewServerOptions {
  readonly network: Network;
  readonly port: number;
  /** The origin of the page that shows it. */
  readonly embedder: string;
  readonly forward: ForwardErrors;
  readonly script: () => PreviewScript | undefined;
  readonly onReport: (message: unknown) => void;
}

/** Answers the requests of one preview with what a server in the sandbox answers. Whoever opens it closes it. */
export class PreviewServer {
  readonly #options: PreviewServerOptions;
  readonly #link: MessagePort;
  /** What ends each request that is under way, with the reason. */
  readonly #exchanges = new Set<AbortController>();
  #closed: SandboxError | undefined;

  constructor(link: MessagePort, options: PreviewServerOptions) {
    this.#link = link;
    this.#options = options;
    link.onmessage = ({ data, ports }: MessageEvent<unknown>) => this.#take(data, ports[0]);
    this.#say({ type: 'ready', embedder: options.embedder });
  }

  /** The page is told, and what it waits for fails. With `ended`, its origin shows nothing any more. */
  close(how: 'closed' | 'ended' = 'closed'): void {
    this.#closed ??= new SandboxError('connection-lost', 'The WebContainer of this preview shows it no more');
    this.#say({ type: how });
    closeLater(this.#link);
    for (const ending of this.#exchanges) ending.abort(this.#closed);
  }

  #say(message: HostMessage): void {
    this.#link.postMessage(message);
  }

  #take(data: unknown, port: MessagePort | undefined): void {
    if (isReport(data)) this.#options.onReport(data.message);
    else if (isRequest(data) && port) void this.#exchange(data, port);
    else port?.close();
  }

  async #exchange(request: PreviewRequest, port: MessagePort): Promise<void> {
    const tell = (answer: PreviewAnswer): void => port.postMessage(answer);
    const ending = new AbortController();
    const { signal } = ending;
    const orEnded = <T>(work: Promise<T>): Promise<T> => orAborted(work, { signal, what: 'The preview' });
    const late = setTimeout(() => ending.abort(tooLate('answer')), hostLimits.previewHeadMs);
    const pulls = pullsOf(port, ending);
    let connecting: Promise<PortConnection> | undefined;
    try {
      if (this.#closed) throw this.#closed;
      if (this.#exchanges.size >= hostLimits.previewRequests)
        throw new SandboxError('busy', 'The preview has too many requests under way: reload it');
      this.#exchanges.add(ending);
      const { network, port: number } = this.#options;
      connecting = network.connect(number);
      const connection = await orEnded(connecting);
      const answer = await orEnded(exchangeHttp(connection, { request, port: number }));
      clearTimeout(late);
      tell(answer.head);
      const body = this.#withScripts(answer);
      for (;;) {
        await orEnded(pulls.next());
        const { done, value } = await orEnded(body.next());
        if (done) break;
        tell({ type: 'piece', bytes: value });
      }
      tell({ type: 'end' });
    } catch (cause) {
      const { message } = SandboxError.from(signal.aborted ? signal.reason : cause);
      tell({ type: 'failure', message });
    } finally {
      clearTimeout(late);
      this.#exchanges.delete(ending);
      // It may come late, or be lost.
      void connecting?.then((connection) => connection.close()).catch(() => undefined);
      closeLater(port);
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

/** Waits until the reader wants more. Ends the request when the reader has left, or wants nothing for too long. */
function pullsOf(port: MessagePort, ending: AbortController): { next(): Promise<void> } {
  let wanted = 0;
  let waiting: PromiseWithResolvers<void> | undefined;
  port.onmessage = ({ data }: MessageEvent<unknown>) => {
    if (data !== 'pull') ending.abort(new SandboxError('aborted', 'The page has left the request'));
    wanted++;
    waiting?.resolve();
  };
  return {
    next: async () => {
      if (wanted === 0) {
        waiting = Promise.withResolvers();
        const timer = setTimeout(() => ending.abort(tooLate('read on')), hostLimits.previewIdleMs);
        await orAborted(waiting.promise, { signal: ending.signal, what: 'The preview' }).finally(() =>
          clearTimeout(timer),
        );
      }
      wanted--;
    },
  };
}

/** Once the last message was taken. */
function closeLater(port: MessagePort): void {
  setTimeout(() => port.close(), hostLimits.portCloseMs);
}

function tooLate(what: 'answer' | 'read on'): SandboxError {
  const [who, timeoutMs] =
    what === 'answer' ? ['server', hostLimits.previewHeadMs] : ['page', hostLimits.previewIdleMs];
  return new SandboxError('timeout', `The ${who} did not ${what} within ${timeoutMs / 1_000} seconds`);
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
