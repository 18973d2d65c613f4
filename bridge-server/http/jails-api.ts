import type { RouteConfig } from '@hono/zod-openapi';

const home = '/v1/sandboxes';

/** Names of the jails API (row O-8) where it calls the same thing otherwise; the rest only differs in `jails`. */
const jailNames: readonly (readonly [ours: string, theirs: string])[] = [
  ['/{id}/commands', '/{id}/exec'],
  ['/{id}/diff', '/{id}/fs/diff'],
  ['/{id}/network', '/{id}/network/log'],
  ['/{id}/snapshots/{snapshot}/fork', '/{id}/snapshots/{snapshot}/branch'],
];

/** A route as the jails API has it; `undefined` where it has no such thing. */
export function jailsRoute(route: RouteConfig): RouteConfig | undefined {
  if (route.path !== home && !route.path.startsWith(`${home}/`)) return undefined;
  const rest = route.path.slice(home.length);
  const [, renamed = rest] = jailNames.find(([ours]) => ours === rest) ?? [];
  return {
    ...route,
    path: `/v1/jails${renamed}`,
    tags: ['jails'],
    operationId: `${route.operationId}OfJail`,
  };
}
