import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Host, openHost } from '../../bridge-server/main/open-host.ts';
import { findControlGroups } from '../../bridge-server/runtimes/jail/control-groups/find-control-groups.ts';
import { groupPrefix } from '../../bridge-server/runtimes/jail/control-groups/group-names.ts';
import { probeLimits } from '../../bridge-server/runtimes/jail/control-groups/probe-limits.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { EventWatch } from '../conformance/sandbox/event-watch.ts';
import { controlGroupsNamed } from './jail/leftovers.ts';
import { leastDiskMiB } from './least-disk.ts';
import { makeTestFolder, type TestFolder } from './open-test-host.ts';
import { whatJailsLack } from './what-jails-lack.ts';

const found = await findControlGroups();
const { cpus, ioMiBps } = await probeLimits(tmpdir());
const lack = (await whatJailsLack()) ?? (found.type === 'none' ? found.reason : undefined);

let files: TestFolder;
let host: Host;

test('what was seen to hold a disk is not timed again before the next boot, and another disk or boot is', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'coppice-disk-'));
  const note = join(folder, 'held-disk');
  const remembers = true;
  try {
    const first = await probeLimits(folder, { remembers });
    const noted = await readFile(note, 'utf8').catch(() => undefined);
    expect(noted !== undefined).toBe(first.ioMiBps.type === 'works');
    expect(await probeLimits(folder, { remembers })).toEqual(first);
    if (noted === undefined) return;
    await writeFile(note, 'of another boot\n');
    expect(await probeLimits(folder, { remembers })).toEqual(first);
    expect(await readFile(note, 'utf8')).toBe(noted);
  } finally {
    await rm(folder, { recursive: true });
  }
});

describe.skipIf(lack)(`O-9 limits of a sandbox${lack ? ` (not here: ${lack})` : ''}`, () => {
  beforeAll(async () => {
    files = await makeTestFolder();
    host = await openHost({ ...files.options, maxima: { pids: 64, memoryMiB: 300, cpuShares: 100_000 } });
  });
  afterAll(async () => {
    await host?.[Symbol.asyncDispose]();
    await files?.[Symbol.asyncDispose]();
  });

  test('S-6 a fork bomb stays within its processes, and the sandbox goes on', async () => {
    const sandbox = await create({ pids: 40 });
    const bomb =
      '$SIG{TERM} = sub { exit }; my $made = 0;' +
      'while (defined(my $pid = fork)) { if (!$pid) { sleep 100; exit } last if ++$made > 200 }' +
      '$| = 1; print "$made: $!\\n"; kill "TERM", 0;';
    const { stdout } = await sandbox.run(['perl', '-e', bomb]);
    const [, made] = /^(\d+): Resource temporarily unavailable$/m.exec(stdout) ?? [];
    expect(Number(made)).toBeGreaterThan(20);
    expect(Number(made)).toBeLessThan(40);
    expect((await sandbox.run('echo alive')).stdout).toBe('alive\n');
    await sandbox.close();
  });

  test('H-4 a disk that holds more than it may is captured again once there is room, and told of meanwhile', async () => {
    await using sandbox = await create({ diskMiB: (await leastDiskMiB(host.backend)) + 100 });
    const events = await EventWatch.open(sandbox);
    // The disk has room for this alone, but not for this and the files of the image.
    await sandbox.run('head -c 200000000 /dev/urandom > ~/large');
    const { error } = await events.next('capture-stopped');
    expect(error.code).toBe('storage-full');
    expect((await sandbox.run('echo alive')).stdout).toBe('alive\n');
    await sandbox.run('rm ~/large; echo small > ~/small');
    await events.next('capture-resumed');
    // A capture may come between the two commands: the next one has the second.
    const captured = async () =>
      sandbox.files
        .read('/home/user/small', { at: await sandbox.history.head() })
        .catch((error) => error.code);
    await expect.poll(captured).toBe('small\n');
  });

  test.skipIf(cpus.type === 'missing')(
    `a part of a processor is what it gets in any second${why(cpus)}`,
    async () => {
      // Before whatever else this host does meanwhile.
      const cpuShares = 100_000;
      const [held, free] = [await create({ cpus: 0.5, cpuShares }), await create({ cpuShares })];
      expect([held.info.cpus, free.info.cpus]).toEqual([0.5, undefined]);
      const spin = 'timeout 2 sh -c "while :; do :; done"';
      const share = async (sandbox: Sandbox) => {
        const { cpuMs, durationMs } = await sandbox.run(spin);
        return cpuMs / durationMs;
      };
      const [heldShare, freeShare] = [await share(held), await share(free)];
      expect(heldShare).toBeGreaterThan(0.3);
      expect(heldShare).toBeLessThan(0.7);
      expect(freeShare).toBeGreaterThan(heldShare);
      // Two that spin have no more together than one.
      const { cpuMs, durationMs } = await held.run(`${spin} & ${spin}; wait`);
      expect(cpuMs / durationMs).toBeLessThan(0.7);
      for (const sandbox of [held, free]) await sandbox.close();
    },
  );

  test.skipIf(ioMiBps.type === 'missing')(
    `what is written past the cache is written no faster than it may be${why(ioMiBps)}`,
    async () => {
      const [held, free] = [await create({ ioMiBps: 2 }), await create({})];
      expect([held.info.ioMiBps, free.info.ioMiBps]).toEqual([2, undefined]);
      const write = 'dd if=/dev/zero of=file bs=64k count=64 oflag=direct status=none';
      const { durationMs, exitCode } = await held.run(write);
      expect(exitCode).toBe(0);
      expect(durationMs).toBeGreaterThan(1_500);
      expect((await free.run(write)).durationMs).toBeLessThan(durationMs / 2);
      for (const sandbox of [held, free]) await sandbox.close();
    },
  );

  test('are in the files of its control groups, in what is told of it, and in its forks', async () => {
    const sandbox = await create({ cpuShares: 512, pids: 50, memoryMiB: 200 });
    const asked = { cpuShares: 512, pids: 50, memoryMiB: 200, diskMiB: 1_024, network: 'isolated' };
    expect(sandbox.info).toMatchObject(asked);
    expect(await groupSettings()).toEqual({ cpu: '512', pids: '50', memory: String(200 * 1_048_576) });
    const [fork] = await sandbox.fork();
    if (!(fork instanceof Sandbox)) throw fork ?? new Error('Nothing was forked');
    expect(fork.info).toMatchObject(asked);
    await fork.close();
    await sandbox.close();
    const listed = await host.backend.list();
    expect(listed.find(({ id }) => id === sandbox.id)).toMatchObject(asked);
    const again = await Sandbox.open(sandbox.id, { backend: host.backend });
    expect(await groupSettings()).toMatchObject({ cpu: '512', pids: '50' });
    await again.close();
  });

  test('O-8 its report tells what it uses, and what the kernel has killed for want of memory', async () => {
    const sandbox = await create({ memoryMiB: 96 });
    const before = await sandbox.report();
    expect(before.usage).toMatchObject({ threads: 1, outOfMemoryKills: 0 });
    expect(before.usage?.memoryPeakBytes).toBeGreaterThan(0);
    const hungry = ['perl', '-e', 'my $all = "x" x 400_000_000'];
    expect((await sandbox.run(hungry)).reason).toBe('out-of-memory');
    const { usage, commands } = await sandbox.report();
    expect(usage?.outOfMemoryKills).toBe(1);
    expect(usage?.memoryPeakBytes).toBeGreaterThan(64 * 1_048_576);
    expect(commands.last.at(-1)).toMatchObject({ reason: 'out-of-memory', signal: 'SIGKILL' });
    await sandbox.close();
  });

  test('are the usual ones unless they are asked for, as far as the operator allows', async () => {
    const sandbox = await create({});
    const usual = { cpuShares: 256, pids: 64, memoryMiB: 300, diskMiB: 1_024, network: 'isolated' };
    expect(sandbox.info).toMatchObject(usual);
    await sandbox.close();
  });

  test('past the operator’s maximum are refused, with the maximum in words', async () => {
    await expect(create({ pids: 65 })).rejects.toMatchObject({
      code: 'limit-exceeded',
      message: 'Cannot make a sandbox with pids 65: 64 is the most here',
    });
    const most = 'Cannot make a sandbox with cpus 1000000: ';
    if (cpus.type === 'works') {
      const refused = { code: 'limit-exceeded', message: expect.stringContaining(most) };
      await expect(create({ cpus: 1_000_000 })).rejects.toMatchObject(refused);
    }
  });
});

/** For the title of what is left out. */
function why(probe: typeof cpus | typeof ioMiBps): string {
  return probe.type === 'missing' ? ` (not here: ${probe.reason})` : '';
}

function create(options: Parameters<typeof Sandbox.create>[0]): Promise<Sandbox> {
  return Sandbox.create({ ...options, backend: host.backend });
}

/** What the kernel was told of the only jail that this host runs, by controller. */
async function groupSettings(): Promise<Record<string, string>> {
  if (found.type === 'none') throw new Error(found.reason);
  const ours = await groupPrefix(files.options.folder);
  const names = (await found.maker.list()).filter((name) => name.startsWith(ours));
  expect(names).toHaveLength(1);
  const paths = await controlGroupsNamed(names[0] ?? '');
  const read = async (...files: string[]): Promise<string> => {
    for (const path of paths.flatMap((folder) => files.map((file) => join(folder, file)))) {
      const text = await readFile(path, 'utf8').catch(() => undefined);
      if (text !== undefined) return text.trim();
    }
    throw new Error(`There is no ${files.join(' or ')}`);
  };
  return {
    cpu: await read('cpu.shares', 'cpu.weight'),
    pids: await read('pids.max'),
    memory: await read('memory.limit_in_bytes', 'memory.max'),
  };
}
