import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { listenAbort, throwIfAborted } from '../../../protocol/abort.ts';
import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';

/** The addresses of a name; none when there is no such name. */
export type Resolve = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

/** An address to connect to, as `lookup` of `node:net` answers it. */
export interface PinnedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/**
 * Asks name servers, those of this host by default, and nothing else: no file of the host gives a name a
 * meaning of its own, and a slow answer keeps none of Node's few threads.
 */
export function askNameServers(servers?: readonly string[]): Resolve {
  return async (name, signal) => {
    const resolver = new Resolver({ timeout: limits.gitConnectTimeoutMs / 2, tries: 2 });
    if (servers) resolver.setServers(servers);
    const unlisten = listenAbort(signal, () => resolver.cancel());
    try {
      const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
      throwIfAborted(signal, `Cannot look up ${name}`);
      return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    } finally {
      unlisten();
    }
  };
}

/**
 * The addresses of `name`, all of them checked: whoever connects uses these, and does not ask again, so
 * that no later answer leads elsewhere. One that may not be reached refuses the name.
 * @throws connection-lost when there is no such name; forbidden
 */
export async function pinAddresses(
  name: string,
  options: {
    readonly resolve: Resolve;
    readonly mayReach: (address: string) => boolean;
    readonly signal: AbortSignal;
  },
): Promise<PinnedAddress[]> {
  const addresses = await options.resolve(name, options.signal);
  if (addresses.length === 0) {
    throw new SandboxError('connection-lost', `Cannot reach ${name}: no address of it is known`);
  }
  // Which one is refused would tell how the bridge's own network is made.
  if (!addresses.every((address) => isIP(address) !== 0 && options.mayReach(address))) {
    throw new SandboxError('forbidden', `Cannot reach ${name}: it has an address that is not public`);
  }
  return addresses.slice(0, limits.gitAddresses).map((address) => ({
    address,
    family: isIP(address) === 4 ? 4 : 6,
  }));
}
