import { denialReasons, type NetworkFlow } from '../../protocol/network-log.ts';
import type { Sandbox } from '../../sdk/sandbox.ts';
import { plainText } from '../output/plain-text.ts';

/** Something that a sandbox was denied in its network. */
interface Denied {
  /** A name or an address, with the port of a connection. */
  readonly to: string;
  /** One of `denialReasons`, or another sentence for people. */
  readonly why: string;
}

/** Of very many, the first are told. */
const mostTold = 10;

const { notListed, ...closed } = denialReasons;
const closedReasons: readonly string[] = Object.values(closed);

/** Begins to note what a sandbox is denied in its network. What that is until then is answered, each once; nothing where it is not to be had. */
export async function watchDenied({
  network,
  info,
}: Pick<Sandbox, 'network' | 'info'>): Promise<() => Promise<readonly Denied[]>> {
  if (info.network !== 'full') return async () => [];
  const flows = () =>
    network.log().then(
      (log) => log.flows,
      () => [],
    );
  const last = Math.max(0, ...(await flows()).map(({ id }) => id));
  return async () => listDenied((await flows()).filter(({ id }) => id > last));
}

export function listDenied(flows: readonly NetworkFlow[]): readonly Denied[] {
  const found = new Map<string, Denied>();
  for (const { verdict, name, address, port, why = '' } of flows) {
    if (verdict !== 'denied') continue;
    const host = name ?? address ?? 'an address';
    const to = port === undefined ? host : `${host}:${port}`;
    found.set(`${to} ${why}`, { to, why });
  }
  return [...found.values()];
}

/** Sentences for who ran a command, with what helps. `isNew` is of a sandbox that was made for it, which it could be made otherwise. */
export function describeDenied(
  denied: readonly Denied[],
  { isNew }: { readonly isNew: boolean },
): readonly string[] {
  const groups = Map.groupBy(denied, ({ why }) => (closedReasons.includes(why) ? 'closed' : why));
  return [...groups].map(([why, group]) => `its network denied ${namesOf(group)}${remedy(why, { isNew })}`);
}

function namesOf(denied: readonly Denied[]): string {
  const targets = [...new Set(denied.map(({ to }) => plainText(to)))];
  const told = targets.slice(0, mostTold).join(', ');
  const more = targets.length - mostTold;
  return more > 0 ? `${told} and ${more} more` : told;
}

function remedy(why: string, { isNew }: { readonly isNew: boolean }): string {
  if (why === notListed) {
    return isNew
      ? ': name what it needs with --allow'
      : ', which is not on its list: a new sandbox gets another one with --allow';
  }
  if (why === 'closed') {
    return (
      ', whose address is not public or is of the host itself: open that address with COPPICE_NETWORK_ALLOW, ' +
      'or --network-allow of the daemon or bridge that runs the sandbox'
    );
  }
  return why === '' ? '' : `: ${plainText(why)}`;
}
