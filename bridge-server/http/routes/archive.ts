import { z } from '@hono/zod-openapi';
import { restoreTar } from '../../../protocol/archive/restore-tar.ts';
import { unpackArchive } from '../../../protocol/archive/unpack-archive.ts';
import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import type { ArchivePiece, ArchiveReader } from '../../../protocol/sandbox/transfer.ts';
import { downloadHeaders } from '../download.ts';
import { json } from '../json-content.ts';
import { loggedError } from '../log.ts';
import type { Mount } from '../mount.ts';
import { requestBytes } from '../request-bytes.ts';
import { checkoutSchema, failed, idSchema, nameSchema, pathSchema, treeRefSchema } from '../schemas.ts';
import type { Service } from '../service.ts';
import { type ByteSource, streamBody } from '../stream-body.ts';
import { useSandbox } from '../use-sandbox.ts';

const binary = z.string().openapi({ format: 'binary' });
const unpackedSchema = z.object({ entries: z.number(), sizeBytes: z.number() }).openapi('UnpackedArchive');

const archiveQuery = z.object({
  at: treeRefSchema.optional().openapi({ description: 'Without it, what is saved last, without a start.' }),
});

/** All files at once. */
export function archiveRoutes(mount: Mount, service: Service): void {
  mount(
    {
      method: 'get',
      path: '/v1/sandboxes/{id}/archive',
      operationId: 'downloadArchive',
      needs: 'transfer.exportTar',
      summary: 'All files as a tar archive, made while it is read. One that cannot be made whole breaks off.',
      tags: ['files'],
      request: { params: z.object({ id: idSchema }), query: archiveQuery },
      responses: {
        200: {
          description: 'The archive.',
          content: { 'application/x-tar': { schema: binary } },
        },
        ...failed,
      },
    },
    async (c) => {
      const { id } = c.req.valid('param');
      const { at } = c.req.valid('query');
      const reader = await openArchive(service, { id, at, signal: c.req.raw.signal });
      const source = await startArchive(reader, (bytes) =>
        service.metrics.moved('out', { type: 'archive', bytes }),
      );
      const onError = (error: unknown) => c.var.log.warn(loggedError(error), 'archive broke off');
      return c.body(streamBody(source, { outgoing: c.env.outgoing, onError }), 200, {
        ...downloadHeaders(`${id}.tar`, 'application/x-tar'),
      });
    },
  );

  mount(
    {
      method: 'put',
      path: '/v1/sandboxes/{id}/archive',
      operationId: 'uploadArchive',
      needs: 'processes.exec',
      summary:
        'Unpacks a tar archive, or a gzip of one, into a directory, as it comes: all of it, or nothing.',
      tags: ['files'],
      request: {
        params: z.object({ id: idSchema }),
        query: z.object({ path: pathSchema }),
        body: {
          content: { 'application/x-tar': { schema: binary }, 'application/gzip': { schema: binary } },
        },
      },
      responses: {
        200: { description: 'What it had.', content: { 'application/json': { schema: unpackedSchema } } },
        ...failed,
      },
    },
    async (c) => {
      const { path } = c.req.valid('query');
      const { signal } = c.req.raw;
      const target = { id: c.req.valid('param').id, signal };
      using reservation = service.uploads.reserve(c.var.owner.account);
      const unpacked = await useSandbox(service, target, (sandbox) => {
        const body = counted(requestBytes(c.env.incoming), (bytes) =>
          service.metrics.moved('in', { type: 'archive', bytes }),
        );
        // Beside what it is told, there are pieces on their way from the socket, and in zlib.
        const onHeld = (bytes: number) => reservation.resize(limits.archivePieceBytes + bytes);
        return unpackArchive(sandbox, body, { path, signal, onHeld });
      });
      return c.json(unpacked, 200);
    },
  );

  mount(
    {
      method: 'put',
      path: '/v1/sandboxes/{id}/restore',
      operationId: 'restoreArchive',
      needs: 'transfer.openRestore',
      summary: 'Replaces all files by those of a tar archive, or of a gzip of one; ends every process.',
      tags: ['files'],
      request: {
        params: z.object({ id: idSchema }),
        query: z.object({ label: nameSchema.optional() }),
        body: {
          content: { 'application/x-tar': { schema: binary }, 'application/gzip': { schema: binary } },
        },
      },
      responses: {
        200: { description: 'Where HEAD is, and what was left.', content: json(checkoutSchema) },
        ...failed,
      },
    },
    async (c) => {
      const { signal } = c.req.raw;
      const target = { id: c.req.valid('param').id, signal };
      using reservation = service.uploads.reserve(c.var.owner.account);
      reservation.resize(limits.restoreUnsealedBytes);
      const restored = await useSandbox(service, target, (sandbox) => {
        const body = counted(requestBytes(c.env.incoming), (bytes) =>
          service.metrics.moved('in', { type: 'archive', bytes }),
        );
        return restoreTar(sandbox, body, { ...c.req.valid('query'), signal });
      });
      return c.json(restored, 200);
    },
  );
}

async function* counted(
  body: AsyncIterable<Uint8Array>,
  onBytes: (count: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const piece of body) {
    onBytes(piece.length);
    yield piece;
  }
}

async function openArchive(
  service: Service,
  { id, at, signal }: { id: string; at: string | undefined; signal: AbortSignal },
): Promise<ArchiveReader> {
  if (at !== 'now') return service.backend.exportTar({ id, ...(at === undefined ? {} : { at }) });
  const lease = await service.sandboxes.borrow(id, { signal });
  try {
    const reader = await lease.connection.transfer.exportTar({ at: 'now' });
    return {
      read: () => reader.read(),
      close: async () => {
        await reader.close();
        lease[Symbol.dispose]();
      },
    };
  } catch (error) {
    lease[Symbol.dispose]();
    throw error;
  }
}

/** Reads the first piece, so that an archive that cannot be made at all has a status of its own. */
async function startArchive(reader: ArchiveReader, onBytes: (count: number) => void): Promise<ByteSource> {
  const read = async () => whole(await reader.read());
  try {
    let first: ArchivePiece | undefined = await read();
    return {
      pull: async () => {
        const piece = first ?? (await read());
        first = undefined;
        onBytes(piece?.bytes.length ?? 0);
        return piece?.bytes;
      },
      close: () => reader.close(),
    };
  } catch (error) {
    await reader.close();
    throw error;
  }
}

/** An archive has no place to say what is missing in it, and must not look whole. */
function whole(piece: ArchivePiece | undefined): ArchivePiece | undefined {
  if (!piece || piece.missing.length === 0) return piece;
  const message = `Cannot make the archive: ${piece.missing.length} or more paths cannot be read`;
  throw new SandboxError('missing-object', message, { details: { paths: piece.missing.slice(0, 16) } });
}
