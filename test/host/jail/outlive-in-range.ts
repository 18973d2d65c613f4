import { readdir, readFile } from 'node:fs/promises';
import { enterIdRange } from '../../../bridge-server/main/id-range.ts';
import { readJailRecord } from '../../../bridge-server/runtimes/jail/jail-record.ts';
import { reattachJail } from '../../../bridge-server/runtimes/jail/reattach-jail.ts';
import { startJail } from '../../../bridge-server/runtimes/jail/start-jail.ts';
import { InitClient } from '../../../protocol/init/init-client.ts';

/**
 * Run as an ordinary user, with a launcher, a root with probe.c's program, a folder for the jail to be found in, a word
 * that no other process has in its arguments, and `begin` or `go-on`: takes that user's range of ids, starts a jail in
 * which a process of its user and one of its root go on, says so and waits to be killed; or goes on with it, and
 * prints, as JSON, how those processes are while it is frozen and after.
 */
await enterIdRange();
const [launcher = '', root = '', folder = '', word = '', what = ''] = process.argv.slice(2);

if (what === 'begin') await begin();
else await goOn();

async function begin(): Promise<void> {
  const noRoot = { kind: 'copy', folder: '', layers: [], madeAtMs: 0 } as const;
  const jail = await startJail(
    {
      root: { type: 'bind', path: root },
      hostname: 'box',
      limits: { memoryMiB: 64, pids: 64, cpuShares: 1024 },
      cgroup: `coppice-outlive-${word}`,
      outlives: {
        folder,
        waitMs: 60_000,
        sandbox: 'box',
        root: { ...noRoot, folder: crypto.randomUUID() },
        trees: [],
      },
    },
    { launcher },
  );
  const client = new InitClient(jail.channel);
  await client.hello();
  for (const user of ['root', 'user'] as const) {
    const ended = Promise.withResolvers<void>();
    const command = ['/bin/coppice-probe', 'leave-running', word];
    await client.exec({ command, user, cwd: '/' }, ({ type }) => {
      if (type === 'exit') ended.resolve();
    });
    await ended.promise;
  }
  process.stdout.write(`${process.pid}\n`);
  setInterval(() => {}, 60_000);
}

async function goOn(): Promise<void> {
  const jail = await reattachJail(folder, readJailRecord(folder));
  await new InitClient(jail.channel).hello();
  await jail.freeze();
  const frozen = await states();
  await jail.thaw();
  // The launcher sends signals in its own time.
  let thawed = frozen;
  while (thawed.includes('T')) thawed = await states();
  await jail[Symbol.asyncDispose]();
  process.stdout.write(JSON.stringify({ frozen, thawed, left: await states() }));
}

/** A letter for each process that goes on in the jail, as in proc_pid_status(5). */
async function states(): Promise<string[]> {
  const found: string[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (!command.startsWith(`/bin/coppice-probe\0leave-running\0${word}`)) continue;
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    found.push(/^State:\t(.)/m.exec(status)?.[1] ?? '');
  }
  return found;
}
