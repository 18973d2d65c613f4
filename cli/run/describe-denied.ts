import type { NetworkFlow } from '../../protocol/network-log.ts';
import type { Sandbox } from '../../sdk/sandbox.ts';
import { plainText } from '../output/plain-text.ts';

/** Of very many, the first are told. */
const mostTold = 10;

/** What a sandbox was denied in its network, for a line to who ran it; `undefined` where that is nothing, or not to be had. */
export async function whatWasDenied({ network }: Pick<Sandbox, 'network'>): Promise<string | undefined> {
  const log = await network.log().catch(() => undefined);
  return log && describeDenied(log.flows);
}

export function describeDenied(flows: readonly NetworkFlow[]): string | undefined {
  const denied = flows.filter(({ verdict }) => verdict === 'denied');
  const targets = new Set(
    denied.map(({ name, address, port }) => {
      const host = plainText(name ?? address ?? 'an address');
      return port === undefined ? host : `${host}:${port}`;
    }),
  );
  if (targets.size === 0) return undefined;
  const told = [...targets].slice(0, mostTold);
  const more = targets.size - told.length;
  return `its network denied ${told.join(', ')}${more > 0 ? ` and ${more} more` : ''}: name what it needs with --allow`;
}
