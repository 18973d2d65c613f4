import type { RouteConfig, RouteHandler } from '@hono/zod-openapi';
import type { BridgeApp, BridgeEnv } from './service.ts';

/** Adds a route to an app and to its document. */
export type Mount = <Route extends RouteConfig>(
  route: Route,
  handler: RouteHandler<Route, BridgeEnv>,
) => void;

const home = '/v1/sandboxes';

/** Names of the jails API where it calls the same thing otherwise; the rest only differs in `jails`. */
const jailNames: readonly (readonly [ours: string, theirs: string])[] = [
  ['/{id}/commands', '/{id}/exec'],
  ['/{id}/diff', '/{id}/fs/diff'],
  ['/{id}/network', '/{id}/network/log'],
  ['/{id}/snapshots/{snapshot}/checkout', '/{id}/snapshots/{snapshot}/restore'],
  ['/{id}/snapshots/{snapshot}/fork', '/{id}/snapshots/{snapshot}/branch'],
];

/** Mounts into `app`, and what the jails API has too (row O-8) there as well. */
export function mountInto(app: BridgeApp): Mount {
  return (route, handler) => {
    // That the handler answers as its route says was checked where both were written.
    const erased = handler as unknown as RouteHandler<RouteConfig, BridgeEnv>;
    app.openapi(route as RouteConfig, erased);
    const path = jailPath(route.path);
    if (path === undefined) return;
    const alias = { ...route, path, tags: ['jails'], operationId: `${route.operationId}OfJail` };
    app.openapi(alias as RouteConfig, erased);
  };
}

/** Where the jails API has what is at `path`; `undefined` where it has no such thing. */
function jailPath(path: string): string | undefined {
  if (path !== home && !path.startsWith(`${home}/`)) return undefined;
  const rest = path.slice(home.length);
  const renamed = jailNames.find(([ours]) => ours === rest);
  return `/v1/jails${renamed ? renamed[1] : rest}`;
}
