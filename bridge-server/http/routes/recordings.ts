import { z } from '@hono/zod-openapi';
import { limits } from '../../../protocol/limits.ts';
import type { RecordingOptions } from '../../../protocol/sandbox/recording.ts';
import { downloadHeaders } from '../download.ts';
import { exactObject } from '../exact-object.ts';
import { json } from '../json-content.ts';
import { loggedError } from '../log.ts';
import type { Mount } from '../mount.ts';
import { failed, idSchema } from '../schemas.ts';
import type { Service } from '../service.ts';
import { type ByteSource, streamBody } from '../stream-body.ts';
import { useSandbox } from '../use-sandbox.ts';

const tags = ['recordings'];
const params = z.object({ id: idSchema });
const binary = z.string().openapi({ format: 'binary' });
/** The recording that a request names no other of. */
const usualName = 'rest';
const nameSchema = z.string().min(1).max(limits.recordingIdCharacters);

const recordingBody = exactObject({
  name: nameSchema
    .default(usualName)
    .openapi({ description: 'Tells it from others of the sandbox that are under way.' }),
  title: z.string().max(limits.recordingTitleCharacters).optional(),
  gzip: z.boolean().optional(),
  input: z.boolean().optional().openapi({ description: 'Whether what is typed is recorded.' }),
  memory: z.boolean().optional().openapi({ description: 'Whether snapshots keep their memory.' }),
  image: z.boolean().optional().openapi({ description: 'Whether the files of the image go in, too.' }),
  history: z.boolean().optional().openapi({ description: 'Whether snapshots before now go in, too.' }),
  secrets: z
    .array(z.string().max(limits.recordingSecretCharacters))
    .max(limits.recordingSecrets)
    .optional()
    .openapi({ description: 'Values that are replaced wherever they occur.' }),
});

const endQuery = z.object({
  name: nameSchema.default(usualName),
  exitCode: z.coerce.number().int().min(0).max(255).optional(),
});

const summarySchema = z
  .object({ events: z.number(), snapshots: z.number(), redacted: z.number() })
  .openapi('RecordingSummary');

/** A session as a file, while it goes on. */
export function recordingRoutes(mount: Mount, service: Service): void {
  mount(
    {
      method: 'post',
      path: '/v1/sandboxes/{id}/recording',
      operationId: 'recordSession',
      needs: 'recording.start',
      summary: 'Records what happens in the sandbox: the file, as it comes, until the recording is ended.',
      tags,
      request: { params, body: { content: json(recordingBody, { title: 'repair the test', gzip: true }) } },
      responses: {
        200: {
          description: 'The recording. A client that goes away ends it.',
          content: { 'application/x-asciicast': { schema: binary }, 'application/gzip': { schema: binary } },
        },
        ...failed,
      },
    },
    async (c) => {
      const { id } = c.req.valid('param');
      const { name, ...options } = c.req.valid('json');
      const { signal } = c.req.raw;
      const source = await record(service, { id, signal, options: { ...options, id: name } });
      const onError = (error: unknown) => c.var.log.warn(loggedError(error), 'recording broke off');
      const { gzip = false } = options;
      const type = gzip ? 'application/gzip' : 'application/x-asciicast';
      return c.body(streamBody(source, { outgoing: c.env.outgoing, onError }), 200, {
        ...downloadHeaders(`${id}.cast${gzip ? '.gz' : ''}`, type),
      });
    },
  );

  mount(
    {
      method: 'delete',
      path: '/v1/sandboxes/{id}/recording',
      operationId: 'endRecording',
      needs: 'recording.stop',
      summary: 'Ends a recording with all that has happened by now; its file then has its last bytes.',
      tags,
      request: { params, query: endQuery },
      responses: { 200: { description: 'What is in it.', content: json(summarySchema) }, ...failed },
    },
    async (c) => {
      const { name, exitCode } = c.req.valid('query');
      const target = { id: c.req.valid('param').id, signal: c.req.raw.signal };
      const summary = await useSandbox(service, target, (sandbox) =>
        sandbox.recording.stop({ id: name, ...(exitCode === undefined ? {} : { exitCode }) }),
      );
      return c.json(summary, 200);
    },
  );
}

/** The sandbox stays open while it is recorded; a bridge that stops writes the end. */
async function record(
  service: Service,
  {
    id,
    signal,
    options,
  }: { readonly id: string; readonly signal: AbortSignal; readonly options: RecordingOptions },
): Promise<ByteSource> {
  const lease = await service.sandboxes.borrow(id, { signal });
  const { recording } = lease.connection;
  const onStop = () => void recording.stop({ id: options.id }).catch(() => undefined);
  try {
    const reader = await recording.start(options);
    service.stopping.addEventListener('abort', onStop);
    return {
      pull: async () => {
        const piece = await reader.read();
        service.metrics.moved('out', { type: 'archive', bytes: piece?.bytes.length ?? 0 });
        return piece?.bytes;
      },
      close: async () => {
        service.stopping.removeEventListener('abort', onStop);
        await reader.close();
        lease[Symbol.dispose]();
      },
    };
  } catch (error) {
    lease[Symbol.dispose]();
    throw error;
  }
}
