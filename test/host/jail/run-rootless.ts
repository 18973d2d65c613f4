import type { OutlivingJail, RootMount } from '../../../bridge-server/contract.ts';
import { HostNetworks } from '../../../bridge-server/network/host-networks.ts';
import { readJailRecord } from '../../../bridge-server/runtimes/jail/jail-record.ts';
import { reattachJail } from '../../../bridge-server/runtimes/jail/reattach-jail.ts';
import { startJail } from '../../../bridge-server/runtimes/jail/start-jail.ts';
import { InitClient } from '../../../protocol/init/init-client.ts';

/**
 * Run as an ordinary user, with a launcher, a root and whether others nest (JSON), and commands as arguments: prints, as JSON,
 * what the commands say in a jail. With `meet`, the jail is left in that folder and gone on with first. With `network`, it has one, by a socket in that folder. What tests, as root, cannot do in their own process.
 */
const [launcher = '', request = '', ...commands] = process.argv.slice(2);
interface Request {
  readonly root: RootMount;
  readonly nested?: boolean;
  readonly meet?: string;
  readonly network?: string;
}
const { root, nested, meet, network } = JSON.parse(request) as Request;
await using networks = network === undefined ? undefined : await HostNetworks.open(network);
using opened = networks?.attach('box');
const outlives = meet === undefined ? undefined : outlivingIn(meet);
const started = await startJail(
  {
    root,
    nested,
    outlives,
    network: opened?.relay,
    hostname: 'box',
    limits: { memoryMiB: 64, pids: 64, cpuShares: 1024 },
    cgroup: `coppice-rootless-${process.pid}`,
  },
  { launcher },
);
if (outlives) started.leave();
await using jail = outlives ? await reattachJail(outlives.folder, readJailRecord(outlives.folder)) : started;
const client = new InitClient(jail.channel);
await client.hello();
await jail.freeze();
await jail.thaw();
const outputs: string[] = [];
for (const command of commands) {
  let output = '';
  const ended = Promise.withResolvers<void>();
  await client.exec({ command: command.split(' ') }, (event) => {
    if (event.type === 'exit') ended.resolve();
    else output += Buffer.from(event.bytes).toString();
  });
  await ended.promise;
  outputs.push(output.trim());
}
process.stdout.write(JSON.stringify(outputs));

function outlivingIn(folder: string): OutlivingJail {
  const rootName = { kind: 'copy', folder: crypto.randomUUID(), layers: [], madeAtMs: 0 } as const;
  return { folder, waitMs: 60_000, sandbox: 'some', root: rootName, trees: [] };
}
