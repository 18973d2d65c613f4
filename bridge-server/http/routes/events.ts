import { z } from '@hono/zod-openapi';
import { limits } from '../../../protocol/limits.ts';
import type { SandboxEvent } from '../../../protocol/sandbox/events.ts';
import type { Lease } from '../../open-sandboxes.ts';
import { loggedError } from '../log.ts';
import type { Mount } from '../mount.ts';
import { failed, idSchema } from '../schemas.ts';
import type { Service } from '../service.ts';
import { SseStream } from '../sse-stream.ts';
import { streamBody } from '../stream-body.ts';

const place = z
  .string()
  .max(64)
  .optional()
  .openapi({ description: 'The id of the last event that was seen; without it, all that are kept.' });

/** Every type there is: the compiler misses none. */
const eventTypes = Object.keys({
  progress: 0,
  ready: 0,
  snapshot: 0,
  head: 0,
  history: 0,
  pending: 0,
  checkpoints: 0,
  'capture-stopped': 0,
  'capture-resumed': 0,
  offline: 0,
  command: 0,
  'machine-failed': 0,
  'memory-refused': 0,
  port: 0,
  closed: 0,
} satisfies Record<SandboxEvent['type'], 0>);

const typesSchema = z
  .union([z.string(), z.array(z.string()).max(eventTypes.length)])
  .optional()
  .transform((given) =>
    given === undefined ? undefined : new Set([given].flat().flatMap((each) => each.split(','))),
  )
  .superRefine((types, context) => {
    for (const type of types ?? []) {
      if (eventTypes.includes(type)) continue;
      const known = eventTypes.join(', ');
      const message = `there is no event of type ${JSON.stringify(type.slice(0, 64))}; there are ${known}`;
      context.addIssue({ code: 'custom', message });
    }
  })
  .openapi({
    type: 'string',
    description: `Only events of these types, separated by commas or given several times: ${eventTypes.join(', ')}.`,
    example: 'snapshot,head',
  });

/** What a sandbox tells, as it happens. */
export function eventRoutes(mount: Mount, service: Service): void {
  mount(
    {
      method: 'get',
      path: '/v1/sandboxes/{id}/events',
      operationId: 'followEvents',
      needs: 'events.subscribe',
      summary: 'Server-sent events: snapshots, HEAD, pending changes, failures. Resumes after Last-Event-ID.',
      tags: ['events'],
      request: {
        params: z.object({ id: idSchema }),
        query: z.object({ after: place, type: typesSchema }),
        headers: z.object({ 'last-event-id': place }),
      },
      responses: {
        200: {
          description: 'A stream that ends when the sandbox closes, or when its reader is far behind.',
          content: { 'text/event-stream': { schema: z.string() } },
        },
        ...failed,
      },
    },
    async (c) => {
      const { after: place, type: types } = c.req.valid('query');
      const after = c.req.valid('header')['last-event-id'] ?? place;
      const lease = await service.sandboxes.borrow(c.req.valid('param').id, { signal: c.req.raw.signal });
      const stream = await followEvents(lease, { after, types, stopping: service.stopping });
      const onError = (error: unknown) => c.var.log.warn(loggedError(error), 'event stream failed');
      return c.body(streamBody(stream, { outgoing: c.env.outgoing, onError }), 200, {
        'content-type': 'text/event-stream',
      });
    },
  );
}

/**
 * Events as `<epoch>-<number>`, because their numbers begin anew when a sandbox is opened again. What
 * is no longer kept is told as `gap`. A reader that falls behind by `limits.eventRing` is sent away:
 * it comes back with the last id that it has seen, and nothing is lost that is still kept.
 */
async function followEvents(
  lease: Lease,
  {
    after,
    types,
    stopping,
  }: { after: string | undefined; types: ReadonlySet<string> | undefined; stopping: AbortSignal },
): Promise<SseStream> {
  const release = Promise.withResolvers<() => void>();
  const onStop = () => stream.end();
  const stream = new SseStream(async () => {
    stopping.removeEventListener('abort', onStop);
    lease[Symbol.dispose]();
    (await release.promise)();
  });
  stopping.addEventListener('abort', onStop);
  const seen = parsePlace(after, lease.epoch);
  let next = seen.number + 1;
  const tell = (event: Pick<SandboxEvent, 'seq'> & { type: string }) => {
    if (stream.pending >= limits.eventRing) return stream.end();
    if (seen.isKnown && event.seq > next) send({ event: 'gap', data: { from: next, to: event.seq - 1 } });
    next = event.seq + 1;
    seen.isKnown = true;
    const isAskedFor = types === undefined || types.has(event.type);
    if (isAskedFor) send({ id: `${lease.epoch}-${event.seq}`, event: event.type, data: event });
    if (event.type === 'closed') stream.end();
  };
  const send = (event: Parameters<SseStream['send']>[0]) => {
    stream.send(event).catch(() => {}); // Its reader is gone, or was sent away.
  };
  try {
    if (seen.isOfAnotherEpoch) send({ event: 'gap', data: { reopened: true } });
    release.resolve(await lease.connection.events.subscribe({ after: seen.number }, tell));
    return stream;
  } catch (error) {
    release.resolve(() => {});
    await stream.close();
    throw error;
  }
}

function parsePlace(
  text: string | undefined,
  epoch: string,
): { number: number; isKnown: boolean; isOfAnotherEpoch: boolean } {
  const [, itsEpoch, number] = /^([0-9a-f]{1,32})-(\d{1,15})$/.exec(text ?? '') ?? [];
  if (text === undefined) return { number: 0, isKnown: false, isOfAnotherEpoch: false };
  if (itsEpoch !== epoch) return { number: 0, isKnown: false, isOfAnotherEpoch: true };
  return { number: Number(number), isKnown: true, isOfAnotherEpoch: false };
}
