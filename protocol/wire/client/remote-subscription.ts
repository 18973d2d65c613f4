import type { EventListener, SandboxEvent } from '../../sandbox/events.ts';
import { knowsEvent, sandboxEvent } from '../../sandbox/events-table.ts';
import { violation } from '../frames/frame.ts';
import type { WireRequest } from '../requests.ts';
import type { ClientSession } from './client-session.ts';
import { IncomingStream } from './incoming-stream.ts';
import { release } from './release.ts';

/** Subscribes behind `session`; events of types that this client does not know are skipped. Answers how to stop. */
export async function subscribeRemote(
  session: ClientSession,
  { request, listener }: { readonly request: WireRequest; readonly listener: EventListener },
): Promise<() => void> {
  let isStopped = false;
  const stream = new IncomingStream<SandboxEvent | undefined>({
    decode: (message) => {
      if (message.type === 'item') return sandboxEvent(message.json, 'an event');
      if (message.type === 'fail') return undefined;
      throw violation('what is no event on the stream of a subscription');
    },
    listener: (event) => (event && knowsEvent(event) && !isStopped ? listener(event) : undefined),
  });
  const { id } = await session.call(request, { stream });
  return () => {
    if (isStopped) return;
    isStopped = true;
    // The other side may be gone: nothing is left to stop.
    release(session, id).catch(() => undefined);
  };
}
