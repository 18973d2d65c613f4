import type { RouteConfig, RouteHandler, z } from '@hono/zod-openapi';
import type { MiddlewareHandler } from 'hono';
import { SandboxError } from '../../protocol/errors.ts';
import { type BackendMethod, rowOf, type SandboxMethod } from '../../protocol/wire/requests.ts';
import { assertAllowed } from '../access/allow.ts';
import { invalidPart } from './answer-error.ts';
import { errorSchema } from './error-body.ts';
import { unknownName } from './exact-object.ts';
import type { BridgeApp, BridgeEnv } from './service.ts';

/**
 * What a token must allow for a route: what it must for a method of the tables or, with `nothing`, only to be valid, where
 * the route decides itself or is for everybody.
 */
type Needs = BackendMethod | SandboxMethod | 'nothing';

/** Adds a route to an app and to its document. */
export type Mount = <Route extends RouteConfig & { readonly needs: Needs }>(
  route: Route,
  handler: RouteHandler<Route, BridgeEnv>,
) => void;

/** Mounts into `app`, also where `aliasOf` says that a route is to be found as well. */
export function mountInto(
  app: BridgeApp,
  { aliasOf }: { readonly aliasOf: (route: RouteConfig) => RouteConfig | undefined },
): Mount {
  return (route, handler) => {
    // That the handler answers as its route says was checked where both were written.
    const erased = handler as unknown as RouteHandler<RouteConfig, BridgeEnv>;
    const { needs, ...documented } = route;
    const middleware = [allowed(needs), knownQuery(route), bodyThatIsThere(route)];
    const responses = { ...clientErrors(route), ...route.responses };
    const checked = { ...documented, responses, middleware };
    app.openapi(checked as RouteConfig, erased);
    const alias = aliasOf(checked as RouteConfig);
    if (alias) app.openapi(alias, erased);
  };
}

/** What a client can do wrong with a route, by what it takes: for those that generate code from the document. */
export function clientErrors({
  method,
  path,
  request,
  security,
}: Pick<RouteConfig, 'method' | 'path' | 'request' | 'security'>): RouteConfig['responses'] {
  const isOpen = security?.length === 0;
  const takes = request?.body ?? request?.query ?? request?.params;
  const isChange = method !== 'get' && method !== 'head';
  const all: readonly (readonly [status: number, description: string, does: boolean])[] = [
    [400, 'Something of the request is not as this document says; the message names it.', Boolean(takes)],
    [401, 'There is no token, or one that is unknown, revoked or expired.', !isOpen],
    [403, 'The token, or the origin of the page, does not allow it.', !isOpen],
    [404, 'There is no such thing, or the token does not see it.', path.includes('{')],
    [409, 'It is in use or there already, changes meanwhile, or too much is under way.', isChange && !isOpen],
    [413, 'It is past a limit; the message names both numbers.', Boolean(request?.body)],
    [429, 'Too many requests in a short time; `Retry-After` says how long to wait.', true],
  ];
  const content = { 'application/json': { schema: errorSchema } };
  return Object.fromEntries(
    all.flatMap(([status, description, does]) => (does ? [[status, { description, content }]] : [])),
  );
}

/** Refuses tokens that do not allow what the route needs. */
function allowed(needs: Needs): MiddlewareHandler<BridgeEnv> {
  const row = rowOf(needs);
  return async (c, next) => {
    if (row) assertAllowed(c.var.owner, row, needs);
    await next();
  };
}

/** Refuses parameters of the query that the route does not know: they would do nothing, silently. */
function knownQuery({ path, request }: RouteConfig): MiddlewareHandler<BridgeEnv> {
  const query = request?.query as z.ZodObject | undefined;
  const known = Object.keys(query?.shape ?? {});
  // Whose schema says itself which other names it takes.
  const isOpen = query?.def.catchall !== undefined;
  return async (c, next) => {
    const unknown = Object.keys(c.req.query()).find((name) => !known.includes(name));
    if (unknown !== undefined && !isOpen && path.startsWith('/v1/')) {
      const message = unknownName(unknown, { kind: 'parameter', known });
      throw invalidPart('query', [{ path: [], message }]);
    }
    await next();
  };
}

/** A body that may be left out may be empty as well, whatever its type is said to be; one that may not is refused by name. */
function bodyThatIsThere({ request }: RouteConfig): MiddlewareHandler<BridgeEnv> {
  const body = request?.body;
  const isJson = body?.content['application/json'] !== undefined;
  return async (c, next) => {
    if (isJson && Number(c.req.header('content-length') ?? 0) === 0) {
      if (body.required) throw emptyBody();
      c.req.raw.headers.delete('content-type');
    }
    await next();
  };
}

function emptyBody(): SandboxError {
  const message = 'Cannot read the body: it is empty';
  const remedy = 'Send a JSON object, with Content-Type: application/json; /docs says what is in it.';
  return new SandboxError('invalid-argument', message, { details: { remedy } });
}
