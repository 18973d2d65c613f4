import { z } from '@hono/zod-openapi';
import { SandboxError } from '../../../protocol/errors.ts';
import type { SandboxConnection } from '../../../protocol/sandbox/connection.ts';
import type { Change } from '../../../protocol/sandbox/history.ts';
import type { SnapshotRef, TreeRef } from '../../../protocol/sandbox/refs.ts';
import { assertSees } from '../../access/allow.ts';
import type { TokenOwner } from '../../token-contract.ts';
import { json } from '../json-content.ts';
import type { Mount } from '../mount.ts';
import {
  anySnapshotSchema,
  changeSchema,
  failed,
  idSchema,
  type Page,
  type PageQuery,
  pageOf,
  pageShape,
  snapshotRefSchema,
  treeRefSchema,
} from '../schemas.ts';
import type { Service } from '../service.ts';
import { findHolder, findTree, useSandbox } from '../use-sandbox.ts';

const tags = ['snapshots'];
const changePage = z.object({ items: z.array(changeSchema), next: z.string().optional() }).openapi('Changes');
const answers = { 200: { description: 'A page of the changes.', content: json(changePage) }, ...failed };

const toShape = {
  to: treeRefSchema.optional().openapi({ description: 'As `from`; `now` unless it is said.' }),
  sandbox: idSchema.optional().openapi({
    description:
      'The sandbox that has `to`, if another has it: then `to` is a snapshot, `HEAD` unless it is said.',
  }),
  ...pageShape,
};

interface DiffQuery extends PageQuery {
  readonly to?: string | undefined;
  readonly sandbox?: string | undefined;
}

/** Differences between two trees, in pages. */
export function diffRoutes(mount: Mount, service: Service): void {
  const compare = async (
    { id, owner, signal }: { id: string; owner: TokenOwner; signal: AbortSignal },
    { from, to, sandbox: other, ...range }: DiffQuery & { from: string },
  ): Promise<Page<Change>> => {
    if (other !== undefined) assertSees(owner, other);
    const changes = await useSandbox(service, { id, signal }, async (sandbox) =>
      sandbox.history.diff({
        from: await findTree(sandbox, from),
        to: await findTarget(sandbox, { id, to, other }),
      }),
    );
    return pageOf(changes, { ...range, key: changeKey });
  };

  mount(
    {
      method: 'get',
      path: '/v1/sandboxes/{id}/snapshots/{snapshot}/diff',
      operationId: 'diffSnapshot',
      needs: 'history.diff',
      summary: 'What changed from a snapshot to another, of this or of another sandbox, or until now.',
      tags,
      request: {
        params: z.object({ id: idSchema, snapshot: snapshotRefSchema }),
        query: z.object(toShape),
      },
      responses: answers,
    },
    async (c) => {
      const { id, snapshot: from } = c.req.valid('param');
      const target = { id, owner: c.var.owner, signal: c.req.raw.signal };
      const { items, next } = await compare(target, { ...c.req.valid('query'), from });
      return c.json({ items: [...items], next }, 200);
    },
  );

  mount(
    {
      method: 'get',
      path: '/v1/sandboxes/{id}/diff',
      operationId: 'diff',
      needs: 'history.diff',
      summary: 'What changed between two trees, of which the second may be of another sandbox.',
      tags,
      request: { params: z.object({ id: idSchema }), query: z.object({ from: treeRefSchema, ...toShape }) },
      responses: answers,
    },
    async (c) => {
      const target = { id: c.req.valid('param').id, owner: c.var.owner, signal: c.req.raw.signal };
      const { items, next } = await compare(target, c.req.valid('query'));
      return c.json({ items: [...items], next }, 200);
    },
  );

  mount(
    {
      method: 'get',
      path: '/v1/snapshots/{snapshot}/diff',
      operationId: 'diffAnySnapshot',
      needs: 'history.diff',
      summary:
        'What changed from a snapshot, whichever sandbox has it, to another, or until now in that sandbox.',
      tags,
      request: { params: z.object({ snapshot: anySnapshotSchema }), query: z.object(toShape) },
      responses: answers,
    },
    async (c) => {
      const { owner } = c.var;
      const holder = await findHolder(service, { owner, reference: c.req.valid('param').snapshot });
      const target = { id: holder.sandbox, owner, signal: c.req.raw.signal };
      const query = { ...c.req.valid('query'), from: holder.snapshot };
      const { items, next } = await compare(target, query);
      return c.json({ items: [...items], next }, 200);
    },
  );
}

async function findTarget(
  sandbox: SandboxConnection,
  { id, to, other }: { id: string; to: string | undefined; other: string | undefined },
): Promise<TreeRef | SnapshotRef> {
  if (other === undefined || other === id) return findTree(sandbox, to ?? 'now');
  if (to !== 'now') return { sandbox: other, snapshot: to ?? 'HEAD' };
  const message = `Cannot compare with what is in sandbox "${other}" now: only what it has saved can be compared`;
  const remedy = 'Take a snapshot of that sandbox, and compare with HEAD.';
  throw new SandboxError('invalid-argument', message, { details: { sandbox: other, remedy } });
}

function changeKey({ type, path }: { type: string; path: string }): string {
  return `${type}:${path}`;
}
