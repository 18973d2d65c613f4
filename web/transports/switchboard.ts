import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { SandboxConnection } from '../../protocol/sandbox/connection.ts';
import { CrashGuard } from './crash-guard.ts';
import { exposeConnection } from './expose-backend.ts';
import { remotePortConnection } from './remote-backend.ts';
import type { SwitchboardMessage } from './switchboard-messages.ts';

/** Lets the other pages of this origin use the sandboxes that this page has open, and the other way round. */
export class Switchboard {
  readonly #port: MessagePort;
  readonly #served = new Map<string, SandboxConnection>();

  /** `port` leads to the SharedWorker of switchboard-worker.ts. */
  constructor(port: MessagePort) {
    this.#port = port;
    port.onmessage = ({ data, ports: [peer] }: MessageEvent<SwitchboardMessage>) => {
      if (data.type === 'connect' && peer) this.#accept(data.id, peer);
    };
  }

  /** Serves an open sandbox until the returned function is called. The connection stays the caller's. */
  serve(id: string, connection: SandboxConnection): () => void {
    this.#served.set(id, connection);
    this.#send({ type: 'serve', id });
    return () => {
      this.#served.delete(id);
      this.#send({ type: 'unserve', id });
    };
  }

  /**
   * A sandbox that another page has open; it lives as long as that page. Closing this connection
   * leaves the sandbox open there.
   * @throws not-found when no page has it open
   */
  async connect(id: string): Promise<SandboxConnection> {
    const { port1, port2 } = new MessageChannel();
    const guard = new CrashGuard();
    const lose = (error: SandboxError) => {
      port1.close();
      guard.crash(error);
    };
    const absent = () =>
      lose(
        new SandboxError('not-found', `Cannot connect to sandbox "${id}": no page has it open`, {
          details: { id },
        }),
      );
    port1.addEventListener('close', () =>
      lose(new SandboxError('connection-lost', `The page that had sandbox "${id}" open is gone`)),
    );
    port1.addEventListener('message', ({ data }: MessageEvent<{ type?: unknown }>) => {
      if (data.type === 'absent') absent();
    });
    this.#port.postMessage({ type: 'connect', id } satisfies SwitchboardMessage, [port2]);
    const connection = remotePortConnection(port1, guard);
    // A page that died without a word is still on the switchboard's list.
    const deadline = setTimeout(absent, limits.requestTimeoutMs);
    try {
      await connection.info.get();
    } finally {
      clearTimeout(deadline);
    }
    return {
      ...connection,
      close: async () => lose(new SandboxError('connection-lost', 'The connection was closed')),
    };
  }

  #accept(id: string, peer: MessagePort): void {
    const connection = this.#served.get(id);
    if (connection) exposeConnection(connection, peer);
    else peer.postMessage({ type: 'absent' } satisfies SwitchboardMessage);
  }

  #send(message: SwitchboardMessage): void {
    this.#port.postMessage(message);
  }
}
