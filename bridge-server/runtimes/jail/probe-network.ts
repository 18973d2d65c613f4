import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Isolation } from '../../../protocol/sandbox/sandbox-info.ts';
import { HostNetworks } from '../../network/host-networks.ts';
import { tryJail } from './try-jail.ts';

/**
 * Why sandboxes of this host cannot have a network, found out by starting a jail in a folder below `folder` that
 * has one and asks for an answer; `undefined` when they can.
 */
export async function whatNetworkLacks({
  launcher,
  folder,
  isolation,
}: {
  readonly launcher: string;
  readonly folder: string;
  readonly isolation: Isolation;
}): Promise<string | undefined> {
  if (isolation !== 'namespace') return 'without namespaces, a jail has no network of its own';
  const own = await mkdtemp(join(folder, 'probe-'));
  try {
    await using networks = await HostNetworks.open(join(own, 'network'));
    using opened = networks.attach('probe');
    const path = join(own, 'root');
    await mkdir(path);
    const { finding } = await tryJail({ type: 'bind', path }, { launcher, folder, network: opened.relay });
    return finding.type === 'works' ? undefined : finding.reason;
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}
