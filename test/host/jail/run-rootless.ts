import type { RootMount } from '../../../bridge-server/contract.ts';
import { startJail } from '../../../bridge-server/runtimes/jail/start-jail.ts';
import { InitClient } from '../../../protocol/init/init-client.ts';

/**
 * Run as an ordinary user, with a launcher, a root and whether others nest (JSON), and commands as arguments: prints, as JSON,
 * what the commands say in a jail. What tests, as root, cannot do in their own process.
 */
const [launcher = '', request = '', ...commands] = process.argv.slice(2);
const { root, nested } = JSON.parse(request) as { root: RootMount; nested?: boolean };
await using jail = await startJail(
  {
    root,
    nested,
    hostname: 'box',
    limits: { memoryMiB: 64, pids: 64, cpuShares: 1024 },
    cgroup: `coppice-rootless-${process.pid}`,
  },
  { launcher },
);
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
