import { listenAbort } from '../../abort.ts';
import { SandboxError } from '../../errors.ts';
import { wireVersions } from '../frames/frame.ts';
import type { Hello, Welcome } from '../handshake.ts';
import type { Transport } from '../transports/transport.ts';
import type { AccessKeeper } from './access-keeper.ts';
import type { ClientSession } from './client-session.ts';
import { greetServer } from './greet-server.ts';

export interface ResumeSessionOptions {
  /** To the session, when it began. */
  readonly welcome: Welcome;
  readonly connectTransport: () => Promise<Transport>;
  readonly keeper: AccessKeeper;
  /** Whether the client can come with another right. */
  readonly renews: boolean;
  /** Why the transport is gone. */
  readonly reason: string;
  /** What the server said of the right that the client had; absent when it did not refuse that. */
  readonly refused: SandboxError | undefined;
}

const firstRetryMs = 50;
const lastRetryMs = 2_000;

/** Tries for as long as the server keeps the session; then, or when it refuses, the session ends. */
export async function resumeSession(session: ClientSession, options: ResumeSessionOptions): Promise<void> {
  const { welcome, keeper } = options;
  const deadlineMs = performance.now() + welcome.session.graceMs;
  let { reason, refused } = options;
  let hasAnother = false;
  for (let delayMs = firstRetryMs; ; delayMs = Math.min(2 * delayMs, lastRetryMs)) {
    if (performance.now() >= deadlineMs)
      return session.end(refused ?? new SandboxError('connection-lost', `The connection is lost: ${reason}`));
    try {
      // Where sockets are refused without a reason nobody would say that it has ended meanwhile.
      const why = refused ?? keeper.ended;
      if (why && !hasAnother) {
        await keeper.replace(why);
        hasAnother = true;
      }
      await greet(session, options);
      return;
    } catch (cause) {
      const error = SandboxError.from(cause);
      if (session.isOver) return;
      // It has ended with the right that was refused.
      if (refused && error.code === 'not-found') return session.end(refused);
      if (error.code === 'unauthenticated' && options.renews && !refused) refused = error;
      else if (!error.retryable) return session.end(error);
      reason = error.message;
    }
    await pause(delayMs * (0.5 + Math.random() / 2), session.signal);
  }
}

async function greet(session: ClientSession, options: ResumeSessionOptions): Promise<void> {
  const { welcome, connectTransport, keeper, renews } = options;
  const { id, secret } = welcome.session;
  const { received } = session.link;
  const hello: Hello = { versions: wireVersions, capabilities: ['resume'], resume: { id, secret, received } };
  await greetServer(connectTransport, {
    hello: renews ? { ...hello, renews } : hello,
    signal: session.signal,
    onWelcome: (transport, again) => {
      attachAgain(session, { transport, welcome: again });
      keeper.note(again.access);
    },
  });
}

/** A server that lacks what this side does not keep any more never gets it: the session ends. */
function attachAgain(
  session: ClientSession,
  { transport, welcome }: { transport: Transport; welcome: Welcome },
): void {
  try {
    session.attach(transport, welcome);
  } catch (error) {
    session.end(SandboxError.from(error));
    throw error;
  }
}

/** Waits, or until `signal` aborts. */
async function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, delayMs);
  const unlisten = listenAbort(signal, over.resolve);
  await over.promise;
  clearTimeout(timer);
  unlisten();
}
