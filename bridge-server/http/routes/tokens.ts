import { z } from '@hono/zod-openapi';
import type { NewToken, RenewedToken, TokenInfo, TokenScope } from '../../../protocol/api-token.ts';
import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import { assertWrites } from '../../access/allow.ts';
import type { TokenOwner } from '../../token-contract.ts';
import { attenuateToken } from '../attenuate-token.ts';
import { exactObject } from '../exact-object.ts';
import { json } from '../json-content.ts';
import type { Mount } from '../mount.ts';
import { failed, idSchema, nameSchema, pageOf, pageShape } from '../schemas.ts';
import type { Service } from '../service.ts';

const tags = ['tokens'];

const scopeSchema: z.ZodType<TokenScope> = z
  .union(
    [z.literal('all'), exactObject({ sandboxes: z.array(idSchema).min(1).max(limits.tokenSandboxes) })],
    { error: `must be "all" or {"sandboxes": ["…"]} with at most ${limits.tokenSandboxes} ids` },
  )
  .openapi('TokenScope');
const accessSchema = z.enum(['read', 'write']).openapi({
  description: '`read` looks at files and history; `write` does everything.',
});

const infoShape = {
  id: z.string(),
  name: z.string(),
  scope: scopeSchema,
  access: accessSchema,
  createdAtMs: z.number(),
  expiresAtMs: z.number().optional(),
  renewableUntilMs: z.number().optional().openapi({ description: 'Until when it may renew itself.' }),
  lastUsedAtMs: z.number().optional().openapi({ description: 'To the minute.' }),
  madeBy: z.string().optional().openapi({ description: 'The id of the token that it was made with.' }),
};
const infoSchema: z.ZodType<TokenInfo> = z.object(infoShape).openapi('Token');
const newSchema: z.ZodType<NewToken> = z
  .object({ ...infoShape, token: z.string().openapi({ description: 'Its text, told this once.' }) })
  .openapi('NewToken');
const renewedSchema: z.ZodType<RenewedToken> = z
  .object({
    ...infoShape,
    expiresInMs: z.number().openapi({ description: 'How long it lasts from now on.' }),
    isRenewable: z.boolean().openapi({ description: 'Whether it can be renewed once more, to last longer.' }),
  })
  .openapi('RenewedToken');

const createBody = exactObject({
  name: nameSchema,
  scope: scopeSchema,
  access: accessSchema,
  ttlMs: z
    .number()
    .int()
    .min(limits.tokenTtlMs.min)
    .max(limits.tokenTtlMs.max)
    .default(limits.tokenTtlMs.usual)
    .openapi({ description: 'How long it lasts; not longer than the token that it is made with.' }),
  renewableMs: z.number().int().min(limits.tokenTtlMs.min).max(limits.tokenTtlMs.max).optional().openapi({
    description:
      'For how long it may go on by renewing itself; not longer than the token that it is made with.',
  }),
});

const listAnswer = z.object({ items: z.array(infoSchema), next: z.string().optional() });
const tokenId = z
  .string()
  .regex(/^[0-9a-f]{16}$/, 'must be the id of a token')
  .openapi({ example: '0123456789abcdef' });

/** Tokens made with tokens. One that is not for all sandboxes sees itself and those that it has made. */
export function tokenRoutes(mount: Mount, { tokens, liveTokens }: Service): void {
  const seenBy = (owner: TokenOwner) =>
    tokens.list().filter((info) => owner.scope === 'all' || isOwn(info, owner));

  mount(
    {
      method: 'post',
      path: '/v1/tokens',
      operationId: 'createToken',
      needs: 'nothing',
      summary: 'Makes a token that can and lasts no more than the one it is made with.',
      tags,
      request: {
        body: { required: true, content: json(createBody, { name: 'a page', scope: 'all', access: 'read' }) },
      },
      responses: {
        201: { description: 'The token, whose text is told this once.', content: json(newSchema) },
        ...failed,
      },
    },
    (c) => c.json(tokens.create(attenuateToken(c.req.valid('json'), c.var.owner)), 201),
  );

  mount(
    {
      method: 'get',
      path: '/v1/tokens',
      operationId: 'listTokens',
      needs: 'nothing',
      summary: 'Lists tokens, oldest first, without their texts.',
      tags,
      request: { query: z.object(pageShape) },
      responses: { 200: { description: 'A page.', content: json(listAnswer) }, ...failed },
    },
    (c) => {
      const { items, next } = pageOf(seenBy(c.var.owner), { ...c.req.valid('query'), key: ({ id }) => id });
      return c.json({ items: [...items], next }, 200);
    },
  );

  mount(
    {
      method: 'post',
      path: '/v1/tokens/renew',
      operationId: 'renewToken',
      needs: 'nothing',
      summary:
        'Lets the token of this request last as long again as it did at first, where it may be renewed.',
      tags,
      responses: { 200: { description: 'How long it lasts now.', content: json(renewedSchema) }, ...failed },
    },
    (c) => c.json(tokens.renew(c.var.owner.id), 200),
  );

  mount(
    {
      method: 'delete',
      path: '/v1/tokens/{token}',
      operationId: 'revokeToken',
      needs: 'nothing',
      summary: 'Revokes a token and those made with it; what is open on behalf of them is closed.',
      tags,
      request: { params: z.object({ token: tokenId }) },
      responses: { 204: { description: 'It opens nothing any more.' }, ...failed },
    },
    (c) => {
      const { owner } = c.var;
      const { token } = c.req.valid('param');
      const found = seenBy(owner).find(({ id }) => id === token);
      if (!found) throw new SandboxError('not-found', `There is no token "${token}"`, { details: { token } });
      if (!isOwn(found, owner)) assertWrites(owner);
      tokens.revoke(token);
      liveTokens.recheck();
      return c.body(null, 204);
    },
  );
}

function isOwn({ id, madeBy }: TokenInfo, owner: TokenOwner): boolean {
  return id === owner.id || madeBy === owner.id;
}
