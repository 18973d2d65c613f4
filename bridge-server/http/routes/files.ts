import { posix } from 'node:path';
import { z } from '@hono/zod-openapi';
import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import type { SandboxConnection } from '../../../protocol/sandbox/connection.ts';
import { downloadHeaders } from '../download.ts';
import { exactObject } from '../exact-object.ts';
import { json } from '../json-content.ts';
import { loggedError } from '../log.ts';
import type { Mount } from '../mount.ts';
import { readBody } from '../read-body.ts';
import { failed, fileSchema, idSchema, pageOf, pageShape, pathSchema, treeRefSchema } from '../schemas.ts';
import type { Service } from '../service.ts';
import { type ByteSource, streamBody } from '../stream-body.ts';
import { findTree, useSandbox } from '../use-sandbox.ts';

const tags = ['files'];
const params = z.object({ id: idSchema });
const place = { path: pathSchema, at: treeRefSchema.default('now') };
const bytes = z.string().openapi({ format: 'binary' });
const binary = { 'application/octet-stream': { schema: bytes } };
const done = { 204: { description: 'Done.' }, ...failed };

const fileList = z.object({ items: z.array(fileSchema), next: z.string().optional() });

/** Files, now or in a snapshot. Only what is now can be changed. */
export function fileRoutes(mount: Mount, service: Service): void {
  mount(
    {
      method: 'get',
      path: '/v1/sandboxes/{id}/files',
      operationId: 'readFile',
      needs: 'files.read',
      summary: 'The bytes of a file.',
      tags,
      request: { params, query: z.object(place) },
      responses: { 200: { description: 'The bytes.', content: binary }, ...failed },
    },
    async (c) => {
      const { path, at } = c.req.valid('query');
      const target = { id: c.req.valid('param').id, signal: c.req.raw.signal };
      const content = await useSandbox(service, target, async (sandbox) => {
        const tree = await findTree(sandbox, at);
        const { sizeBytes } = await sandbox.files.stat({ path, at: tree });
        if (sizeBytes > limits.uploadBytes) throw tooLarge(path, sizeBytes);
        return sandbox.files.read({ path, at: tree });
      });
      service.metrics.moved('out', { type: 'file', bytes: content.length });
      const { log } = c.var;
      const onError = (error: unknown) => log.warn(loggedError(error), 'file broke off');
      return c.body(streamBody(slices(content), { outgoing: c.env.outgoing, onError }), 200, {
        ...downloadHeaders(posix.basename(path)),
        'content-length': String(content.length),
      });
    },
  );

  mount(
    {
      method: 'put',
      path: '/v1/sandboxes/{id}/files',
      operationId: 'writeFile',
      needs: 'files.write',
      summary: `Writes a file, at most ${limits.uploadBytes} bytes.`,
      tags,
      request: {
        params,
        query: z.object({
          path: pathSchema,
          mode: z
            .string()
            .regex(/^[0-7]{3,4}$/, 'must be octal, such as 644')
            .optional(),
        }),
        body: { content: binary },
      },
      responses: done,
    },
    async (c) => {
      const { path, mode } = c.req.valid('query');
      const target = { id: c.req.valid('param').id, signal: c.req.raw.signal };
      const options = mode === undefined ? {} : { mode: Number.parseInt(mode, 8) };
      using reservation = service.uploads.reserve(c.var.owner.account);
      // The sandbox first: who sends much to none is told before.
      await useSandbox(service, target, async (sandbox) => {
        const content = await readBody(c.env.incoming, { reservation });
        service.metrics.moved('in', { type: 'file', bytes: content.length });
        await sandbox.files.write({ path, bytes: content, ...options });
      });
      return c.body(null, 204);
    },
  );

  mount(
    {
      method: 'delete',
      path: '/v1/sandboxes/{id}/files',
      operationId: 'removeFile',
      needs: 'files.remove',
      summary: 'Removes a file, or a directory with all it holds.',
      tags,
      request: { params, query: z.object({ path: pathSchema }) },
      responses: done,
    },
    async (c) => {
      const target = { id: c.req.valid('param').id, signal: c.req.raw.signal };
      await useSandbox(service, target, (sandbox) =>
        sandbox.files.remove({ path: c.req.valid('query').path }),
      );
      return c.body(null, 204);
    },
  );

  mount(
    {
      method: 'get',
      path: '/v1/sandboxes/{id}/files/list',
      operationId: 'listFiles',
      needs: 'files.list',
      summary: 'The entries of a directory.',
      tags,
      request: { params, query: z.object({ ...place, ...pageShape }) },
      responses: { 200: { description: 'A page.', content: json(fileList) }, ...failed },
    },
    async (c) => {
      const { path, at, ...range } = c.req.valid('query');
      const target = { id: c.req.valid('param').id, signal: c.req.raw.signal };
      const files = await useSandbox(service, target, async (sandbox) =>
        sandbox.files.list({ path, at: await findTree(sandbox, at) }),
      );
      const { items, next } = pageOf(files, { ...range, key: ({ name }) => name });
      return c.json({ items: [...items], next }, 200);
    },
  );

  mount(
    {
      method: 'get',
      path: '/v1/sandboxes/{id}/files/stat',
      operationId: 'statFile',
      needs: 'files.stat',
      summary: 'What a file is, without its bytes.',
      tags,
      request: { params, query: z.object(place) },
      responses: { 200: { description: 'The file.', content: json(fileSchema) }, ...failed },
    },
    async (c) => {
      const { path, at } = c.req.valid('query');
      const target = { id: c.req.valid('param').id, signal: c.req.raw.signal };
      const stat = async (sandbox: SandboxConnection) =>
        sandbox.files.stat({ path, at: await findTree(sandbox, at) });
      return c.json(await useSandbox(service, target, stat), 200);
    },
  );

  mount(
    {
      method: 'post',
      path: '/v1/sandboxes/{id}/files/directory',
      operationId: 'makeDirectory',
      needs: 'files.makeDirectory',
      summary: 'Makes a directory and its parents; one that exists is left as it is.',
      tags,
      request: {
        params,
        body: {
          required: true,
          content: json(exactObject({ path: pathSchema }), { path: '/home/user/data' }),
        },
      },
      responses: done,
    },
    async (c) => {
      const target = { id: c.req.valid('param').id, signal: c.req.raw.signal };
      await useSandbox(service, target, (sandbox) =>
        sandbox.files.makeDirectory({ path: c.req.valid('json').path }),
      );
      return c.body(null, 204);
    },
  );

  const moves = [
    { name: 'copy', summary: 'Copies a file or a directory with all it holds.', to: '/etc/hostname.copy' },
    { name: 'rename', summary: 'Moves a file or a directory.', to: '/etc/hostname.old' },
  ] as const;
  for (const { name, summary, to: sample } of moves) {
    mount(
      {
        method: 'post',
        path: `/v1/sandboxes/{id}/files/${name}`,
        operationId: `${name}File`,
        needs: `files.${name}`,
        summary,
        tags,
        request: {
          params,
          body: {
            required: true,
            content: json(exactObject({ from: pathSchema, to: pathSchema }), {
              from: '/etc/hostname',
              to: sample,
            }),
          },
        },
        responses: done,
      },
      async (c) => {
        const { from, to } = c.req.valid('json');
        const target = { id: c.req.valid('param').id, signal: c.req.raw.signal };
        await useSandbox(service, target, (sandbox) => sandbox.files[name]({ from, to }));
        return c.body(null, 204);
      },
    );
  }
}

/** Bytes in pieces of a socket's size, so that a client that does not read them is noticed. */
function slices(bytes: Uint8Array): ByteSource {
  let offset = 0;
  return {
    pull: async () => {
      const slice = bytes.subarray(offset, offset + limits.streamWindowBytes);
      offset += slice.length;
      return slice.length > 0 ? slice : undefined;
    },
    close: () => {},
  };
}

function tooLarge(path: string, sizeBytes: number): SandboxError {
  const message = `Cannot read "${path}" at once: it has ${sizeBytes} bytes; download the archive`;
  return new SandboxError('limit-exceeded', message, { details: { limitBytes: limits.uploadBytes } });
}
