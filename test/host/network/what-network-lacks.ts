import { tmpdir } from 'node:os';
import { whatNetworkLacks as probe } from '../../../bridge-server/runtimes/jail/probe-network.ts';
import { launcher } from '../jail/test-jail.ts';
import { whatJailsLack } from '../what-jails-lack.ts';

/** Why a jail cannot have a network here, found out by starting one; `undefined` when it can. */
export async function whatNetworkLacks(): Promise<string | undefined> {
  const lack = await whatJailsLack();
  return lack ?? probe({ launcher: await launcher, folder: tmpdir(), isolation: 'namespace' });
}
