import { createHash } from 'node:crypto';
import { z } from '@hono/zod-openapi';
import { styledPagePolicy } from '../../../protocol/content-security-policy.ts';
import { assertSeesAll } from '../../access/allow.ts';
import { docsPage, docsStyle } from '../docs-page.ts';
import { json } from '../json-content.ts';
import type { Mount } from '../mount.ts';
import { type ApiDocument, apiDocument } from '../openapi-document.ts';
import { failed } from '../schemas.ts';
import type { BridgeApp, Service } from '../service.ts';

const tags = ['service'];
const open = { security: [] };

const health = z.object({ status: z.literal('ok') });
const readyReport = z
  .object({
    status: z.enum(['ready', 'not-ready']),
    items: z.array(z.object({ name: z.string(), isReady: z.boolean() })),
  })
  .openapi('Ready');
const doctorReport = z
  .object({
    items: z.array(z.object({ name: z.string(), state: z.enum(['ok', 'unsupported']), why: z.string() })),
  })
  .openapi('Doctor');

const documentSchema = z.custom<ApiDocument>().openapi({ type: 'object' });

const styleHash = createHash('sha256').update(docsStyle).digest('base64');
const docsPolicy = styledPagePolicy(styleHash);

/** About the bridge itself. What tells nothing of any sandbox needs no token. */
export function serviceRoutes(app: BridgeApp, { mount, service }: { mount: Mount; service: Service }): void {
  // Made once, when every route is there: anyone may ask for it, and it takes a while.
  let made: ApiDocument | undefined;
  let page: string | undefined;
  const document = () => {
    made ??= apiDocument(app);
    return made;
  };

  mount(
    {
      method: 'get',
      path: '/health',
      operationId: 'health',
      needs: 'nothing',
      summary: 'Whether the bridge answers.',
      tags,
      ...open,
      responses: { 200: { description: 'It does.', content: json(health) }, ...failed },
    },
    (c) => c.json({ status: 'ok' as const }, 200),
  );

  mount(
    {
      method: 'get',
      path: '/ready',
      operationId: 'ready',
      needs: 'nothing',
      summary: 'Whether the bridge can do its work: its images, its stores, its token file.',
      tags,
      ...open,
      responses: {
        200: { description: 'It can.', content: json(readyReport) },
        503: { description: 'Not yet, or no more.', content: json(readyReport) },
        ...failed,
      },
    },
    async (c) => {
      const items = service.stopping.aborted
        ? [{ name: 'running', isReady: false }]
        : [...(await service.ready())];
      return items.every(({ isReady }) => isReady)
        ? c.json({ status: 'ready' as const, items }, 200)
        : c.json({ status: 'not-ready' as const, items }, 503);
    },
  );

  mount(
    {
      method: 'get',
      path: '/metrics',
      operationId: 'metrics',
      needs: 'nothing',
      summary: 'Numbers for Prometheus.',
      tags,
      responses: {
        200: { description: 'The text format.', content: { 'text/plain': { schema: z.string() } } },
        ...failed,
      },
    },
    async (c) => {
      assertSeesAll(c.var.owner);
      const { text, contentType } = await service.metrics.read();
      return c.text(text, 200, { 'content-type': contentType });
    },
  );

  mount(
    {
      method: 'get',
      path: '/v1/doctor',
      operationId: 'doctor',
      needs: 'nothing',
      summary: 'What this host can do, and why not what it cannot.',
      tags,
      responses: { 200: { description: 'The report.', content: json(doctorReport) }, ...failed },
    },
    async (c) => {
      assertSeesAll(c.var.owner);
      return c.json({ items: [...(await service.doctor())] }, 200);
    },
  );

  mount(
    {
      method: 'get',
      path: '/openapi.json',
      operationId: 'openapi',
      needs: 'nothing',
      summary: 'This document.',
      tags,
      ...open,
      responses: { 200: { description: 'OpenAPI 3.1.', content: json(documentSchema) }, ...failed },
    },
    (c) => c.json(document(), 200),
  );

  mount(
    {
      method: 'get',
      path: '/docs',
      operationId: 'docs',
      needs: 'nothing',
      summary: 'This document, to read.',
      tags,
      ...open,
      responses: {
        200: { description: 'A page.', content: { 'text/html': { schema: z.string() } } },
        ...failed,
      },
    },
    (c) => {
      c.header('content-security-policy', docsPolicy);
      page ??= docsPage(document());
      return c.html(page);
    },
  );
}
