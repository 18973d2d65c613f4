import { z } from '@hono/zod-openapi';
import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import type { SandboxConnection } from '../../../protocol/sandbox/connection.ts';
import type { SnapshotRef, TreeRef } from '../../../protocol/sandbox/refs.ts';
import { assertSees } from '../../access/allow.ts';
import type { TokenOwner } from '../../token-contract.ts';
import { json } from '../json-content.ts';
import type { Mount } from '../mount.ts';
import { type PatchedChange, patchChanges } from '../patch-changes.ts';
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
const patchShape = {
  content: z
    .enum(['text', 'binary', 'too-large', 'special', 'unnamed'])
    .optional()
    .openapi({ description: 'With `patch`: whether there is a text to compare, or why not.' }),
  added: z.number().optional().openapi({ description: 'With `patch`: lines that came.' }),
  deleted: z.number().optional().openapi({ description: 'With `patch`: lines that went.' }),
  patch: z.string().optional().openapi({
    description: 'With `patch`: the file as `git diff` prints it. Joined, they are a patch for `git apply`.',
  }),
};
const changePage = z
  .object({ items: z.array(changeSchema.and(z.object(patchShape))), next: z.string().optional() })
  .openapi('Changes');
const answers = { 200: { description: 'A page of the changes.', content: json(changePage) }, ...failed };

const toShape = {
  to: treeRefSchema.optional().openapi({ description: 'As `from`; `now` unless it is said.' }),
  sandbox: idSchema.optional().openapi({
    description:
      'The sandbox that has `to`, if another has it: then `to` is a snapshot, `HEAD` unless it is said.',
  }),
  patch: z
    .enum(['true', 'false'])
    .optional()
    .openapi({
      description: `Whether each change comes with the text that differs; both trees are of one sandbox then. A page ends early once ${limits.patchedPageBytes} bytes were compared.`,
    }),
  ...pageShape,
};

interface DiffQuery extends PageQuery {
  readonly to?: string | undefined;
  readonly sandbox?: string | undefined;
  readonly patch?: 'true' | 'false' | undefined;
}

/** Differences between two trees, in pages. */
export function diffRoutes(mount: Mount, service: Service): void {
  const compare = async (
    { id, owner, signal }: { id: string; owner: TokenOwner; signal: AbortSignal },
    { from, to, sandbox: other, patch, ...range }: DiffQuery & { from: string },
  ): Promise<Page<PatchedChange>> => {
    if (other !== undefined) assertSees(owner, other);
    return useSandbox(service, { id, signal }, async (sandbox) => {
      const trees = {
        from: await findTree(sandbox, from),
        to: await findTarget(sandbox, { id, to, other }),
      };
      const page = pageOf(await sandbox.history.diff(trees), { ...range, key: changeKey });
      return patch === 'true' ? patchedPage(page, { sandbox, ...trees, signal }) : page;
    });
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

/** @throws unsupported for a tree of another sandbox, whose files this one does not have */
async function patchedPage(
  page: Page<PatchedChange>,
  {
    sandbox: { files },
    from,
    to,
    signal,
  }: {
    readonly sandbox: SandboxConnection;
    readonly from: TreeRef;
    readonly to: TreeRef | SnapshotRef;
    readonly signal: AbortSignal;
  },
): Promise<Page<PatchedChange>> {
  if (typeof to !== 'string') {
    const remedy = 'Leave `patch` out, or compare two trees of one sandbox.';
    const message = 'Cannot make a patch to the files of another sandbox';
    throw new SandboxError('unsupported', message, { details: { feature: 'patch', remedy } });
  }
  const items = await patchChanges(page.items, { files, from, to, signal });
  const end = items.at(-1);
  return items.length < page.items.length && end ? { items, next: changeKey(end) } : { ...page, items };
}

function changeKey({ type, path }: { type: string; path: string }): string {
  return `${type}:${path}`;
}
