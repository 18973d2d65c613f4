import type { RootMount } from '../../../bridge-server/contract.ts';
import { startJail } from '../../../bridge-server/runtimes/jail/start-jail.ts';

/** A bridge to be killed: starts a jail, freezes it when told to, says so, and waits. */
const [launcher = '', root = '', cgroup = '', state = ''] = process.argv.slice(2);
const limits = { memoryMiB: 64, pids: 64, cpuShares: 1024 };
const jail = await startJail(
  { root: JSON.parse(root) as RootMount, hostname: 'box', limits, cgroup },
  { launcher },
);
if (state === 'frozen') await jail.freeze();
process.stdout.write('started\n');
await jail.ended;
