import { z } from '@hono/zod-openapi';
import { copyAncestry } from '../../../protocol/copy/copy-ancestry.ts';
import { snapshotNow } from '../../../protocol/copy/copy-snapshot.ts';
import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import type { SandboxConnection } from '../../../protocol/sandbox/connection.ts';
import type { SnapshotId } from '../../../tree/history/snapshot-record.ts';
import { assertSees } from '../../access/allow.ts';
import { exactObject } from '../exact-object.ts';
import { json } from '../json-content.ts';
import type { Mount } from '../mount.ts';
import { failed, idSchema, nameSchema, snapshotRefSchema } from '../schemas.ts';
import type { Service } from '../service.ts';
import { findSnapshot, useSandbox } from '../use-sandbox.ts';

const conflict = z
  .object({
    path: z.string(),
    kind: z.enum(['content', 'added', 'deleted-by-us', 'deleted-by-them', 'type', 'metadata']),
  })
  .openapi('MergeConflict');

const merged = z
  .object({
    head: z.string(),
    previousHead: z.string(),
    outcome: z.enum(['merged', 'fast-forward', 'up-to-date']),
    base: z.string().openapi({ description: 'The nearest common ancestor.' }),
    settled: z.array(conflict).openapi({ description: 'Conflicts that `prefer` has settled.' }),
  })
  .openapi('Merge');

const body = exactObject({
  sandbox: idSchema.optional().openapi({ description: 'The sandbox that has the changes, as a fork does.' }),
  snapshot: snapshotRefSchema.optional().openapi({
    description: 'With `sandbox`, a snapshot of that one, instead of its files as they are now.',
  }),
  label: nameSchema.optional(),
  prefer: z.enum(['ours', 'theirs']).optional().openapi({
    description: 'Whose change is taken at a conflict; without it, one conflict refuses the merge.',
  }),
});

interface Changes {
  readonly sandbox?: string | undefined;
  readonly snapshot?: string | undefined;
}

/** What was done elsewhere comes together with what was done here. */
export function mergeRoutes(mount: Mount, service: Service): void {
  mount(
    {
      method: 'post',
      path: '/v1/sandboxes/{id}/merge',
      operationId: 'merge',
      needs: 'history.merge',
      summary: 'Brings in what a fork or a snapshot has changed; ends every process, and is all or nothing.',
      tags: ['snapshots'],
      request: {
        params: z.object({ id: idSchema }),
        body: { required: true, content: json(body, { snapshot: 'HEAD', prefer: 'ours' }) },
      },
      responses: {
        200: { description: 'Where HEAD is, and what was left.', content: json(merged) },
        ...failed,
      },
    },
    async (c) => {
      const { id } = c.req.valid('param');
      const { label, prefer, ...changes } = c.req.valid('json');
      const { signal } = c.req.raw;
      if (changes.sandbox !== undefined) assertSees(c.var.owner, changes.sandbox);
      const result = await useSandbox(service, { id, signal }, async (into) => {
        const snapshot = await bringIn(service, { into, id, changes, signal });
        return into.history.merge({ id: snapshot, label, prefer });
      });
      return c.json({ ...result, settled: [...result.settled] }, 200);
    },
  );
}

/** The snapshot with the changes, which is in the history of `into` from then on. @throws as `findSnapshot`; invalid-argument */
async function bringIn(
  service: Service,
  {
    into,
    id,
    changes: { sandbox, snapshot },
    signal,
  }: { into: SandboxConnection; id: string; changes: Changes; signal: AbortSignal },
): Promise<SnapshotId> {
  if (sandbox === undefined || sandbox === id) {
    if (snapshot !== undefined) return findSnapshot(into, snapshot);
    throw new SandboxError('invalid-argument', 'Cannot merge: name another sandbox, or a snapshot');
  }
  return useSandbox(service, { id: sandbox, signal }, async (from) => {
    const [here, there] = await Promise.all([into.info.get(), from.info.get()]);
    if (here.imageDigest !== there.imageDigest) {
      throw new SandboxError(
        'invalid-argument',
        'Cannot merge: the other sandbox was made from another image',
      );
    }
    const found =
      snapshot === undefined
        ? await snapshotNow(from, 'merge', { ifChanged: true })
        : await findSnapshot(from, snapshot);
    const most = limits.mergeAncestors;
    await copyAncestry(from, { snapshot: found, into, most, onProgress: () => undefined, signal });
    return found;
  });
}
