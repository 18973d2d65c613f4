import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type HostOptions, openHost } from '../../bridge-server/main/open-host.ts';
import { groupPrefix } from '../../bridge-server/runtimes/jail/control-groups/group-names.ts';
import { openHostStore } from '../../bridge-server/stores/open-host-store.ts';
import { openRegistry } from '../../bridge-server/stores/registry.ts';
import { until } from '../../guest/init/test/agent.ts';
import { defaultImage } from '../../protocol/sandbox/backend.ts';
import { connect } from '../../sdk/connect.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { History } from '../../tree/history/history.ts';
import { openBtrfsVolume } from '../fixtures/btrfs-volume.ts';
import { runsLong } from '../runs-long.ts';
import { kindsThatOutlive } from '../sample.ts';
import { controlGroupsNamed } from './jail/leftovers.ts';
import { makeTestFolder, type TestFolder } from './open-test-host.ts';
import { startServing } from './serving.ts';
import { whatJailsLack } from './what-jails-lack.ts';

/** Longer than any test: what is to go on does not end for being slow. */
const longMs = 600_000;
/** Runs in the background; when it is told that the bridge is gone, it changes files. */
const service = `
  echo some > temporary
  (until [ -e lost ]; do sleep 0.02; done; rm lost temporary; echo yes > meanwhile; exec sleep 1000) < /dev/null &
  echo $! > pid`;
/** Runs in the foreground, and is hung up with the bridge. */
const witness = `trap 'touch lost; exit' HUP; echo ready; while :; do sleep 0.02; done`;
/** Which process the service is. */
const identity = `echo $(cat pid) $(cut -d' ' -f22 /proc/$(cat pid)/stat)`;

const lacks = new Map<string, string | undefined>();
for (const kind of kindsThatOutlive) lacks.set(kind, await whatJailsLack(kind));

describe.each(kindsThatOutlive)('what runs in a sandbox by %s', (kind) => {
  const lack = lacks.get(kind);

  describe.skipIf(lack)(lack ? `(not here: ${lack})` : 'while its bridge is away', () => {
    const stack = new AsyncDisposableStack();
    let options: HostOptions;
    beforeAll(async () => {
      const place = kind === 'btrfs' ? stack.use(await openBtrfsVolume()).folder : undefined;
      const files: TestFolder = stack.use(
        await makeTestFolder(kind, { place, layer: place === undefined ? 'borrowed' : 'own' }),
      );
      options = { ...files.options, reattachMs: longMs };
      await using host = await openHost(options);
      await host.prepare(defaultImage);
    });
    afterAll(() => stack.disposeAsync());

    test('H-4 O-1: goes on when the bridge was killed, twice, and nothing that it did is lost', {
      timeout: 300_000,
    }, async () => {
      const begun = await begin(options, 'SIGKILL');
      for (const round of ['first', 'second']) {
        await using bridge = await startServing(options);
        expect(bridge.lost).toEqual([]);
        await using backend = await connect(bridge);
        const sandbox = await Sandbox.open(begun.id, { backend });
        // Nobody asks for the snapshot that has what was done meanwhile.
        await until(async () => (await sandbox.history.head()) !== begun.head || round === 'second');
        await expect(sandbox.files.read('/home/user/temporary')).rejects.toMatchObject({
          code: 'not-found',
        });
        const head = await sandbox.history.head();
        expect(await sandbox.files.read('/home/user/meanwhile', { at: head })).toBe('yes\n');
        await expect(sandbox.files.read('/home/user/temporary', { at: head })).rejects.toMatchObject({
          code: 'not-found',
        });
        expect(await sandbox.files.read('/home/user/temporary', { at: begun.head })).toBe('some\n');
        expect((await sandbox.run(identity)).stdout).toBe(begun.identity);
        expect((await sandbox.run('pgrep -fc "trap .touch"')).stdout).toBe('0\n');
        await sandbox.run(`echo ${round} > round`);
        await bridge.kill();
      }
      await using bridge = await startServing(options);
      await using backend = await connect(bridge);
      const sandbox = await Sandbox.open(begun.id, { backend });
      expect((await sandbox.run(`${identity}; cat round`)).stdout).toBe(`${begun.identity}second\n`);
      await sandbox.checkout(begun.head);
      expect((await sandbox.run('ls; pgrep -c sleep')).stdout).toBe('pid\ntemporary\n0\n');
      await bridge.end('SIGTERM');
      expect(await leftOf(options)).toEqual([]);
    });
  });
});

const lack = lacks.get('overlay');

describe.skipIf(lack)(`a jail whose bridge is gone${lack ? ` (not here: ${lack})` : ''}`, () => {
  let files: TestFolder;
  let options: HostOptions;
  beforeAll(async () => {
    files = await makeTestFolder('overlay', { layer: 'borrowed' });
    options = { ...files.options, reattachMs: longMs };
  });
  afterAll(() => files?.[Symbol.asyncDispose]());

  test('O-1: ends with all that it holds when no other bridge comes in time', async () => {
    const short = { ...options, reattachMs: 500 };
    const { id, head, processes } = await begin(short, 'SIGKILL');
    await until(async () => (await leftOf(options)).length === 0);
    expect(await living(processes)).toEqual([]);
    await using bridge = await startServing(options);
    expect(bridge.lost).toEqual([expect.stringContaining('Nobody listens')]);
    await using backend = await connect(bridge);
    const sandbox = await Sandbox.open(id, { backend });
    expect(await sandbox.history.head()).toBe(head);
    expect((await sandbox.run('ls; pgrep -c sleep')).stdout).toBe('pid\ntemporary\n0\n');
    await bridge.end('SIGTERM');
  });

  test('H-4 O-1: is handed over by SIGUSR2, with what was not captured yet', async () => {
    const begun = await begin(options, 'SIGUSR2', { last: 'echo more > last' });
    await using bridge = await startServing(options);
    expect(bridge.lost).toEqual([]);
    await using backend = await connect(bridge);
    const sandbox = await Sandbox.open(begun.id, { backend });
    expect((await sandbox.run(identity)).stdout).toBe(begun.identity);
    const [, ...before] = (await sandbox.history.log()).map(({ id }) => id).toReversed();
    const handed = before.find((id) => !begun.known.has(id)) ?? expect.fail('no snapshot');
    expect(await sandbox.files.read('/home/user/last', { at: handed })).toBe('more\n');
    await bridge.end('SIGTERM');
    expect(await leftOf(options)).toEqual([]);
  });

  test('O-1: is let go on when it was frozen, and opened by the bridge itself, so that what it does is captured', async () => {
    const begun = await begin(options, 'SIGKILL', { isFrozen: true });
    await using bridge = await startServing(options);
    expect(bridge.lost).toEqual([]);
    await using backend = await connect(bridge);
    const look = async () => {
      const reader = await backend.open({ id: begun.id, readOnly: true }, () => {});
      try {
        return await reader.history.get();
      } finally {
        await reader.close();
      }
    };
    await until(async () => (await look()).head !== begun.head);
    const sandbox = await Sandbox.open(begun.id, { backend });
    expect((await sandbox.run(identity)).stdout).toBe(begun.identity);
    await bridge.end('SIGTERM');
  });

  const spoilt: readonly [what: string, reason: string, spoil: (begun: Begun) => Promise<void>][] = [
    ['whose note is damaged', 'cannot be read', async () => writeFile(await noteOf(options), '{"version":1')],
    [
      'whose note names what is elsewhere',
      'cannot be read',
      () => editNote(options, (text) => text.replace(/"folder":"[^"]*"/, '"folder":"../../sandboxes"')),
    ],
    [
      'whose root is gone',
      'Cannot find the root',
      () =>
        editNote(options, (text) => text.replace(/"folder":"[^"]*"/, `"folder":"${crypto.randomUUID()}"`)),
    ],
    [
      'of a sandbox that was deleted',
      'is not on this host',
      async ({ id }) => {
        using registry = openRegistry(options.folder);
        await registry.sandboxes.remove(id);
      },
    ],
    [
      'of a bridge on another folder',
      'of another folder',
      () => editNote(options, (text) => text.replace(/"cgroup":"[^"]*"/, '"cgroup":"coppice-other-x"')),
    ],
  ];
  // One for each way in which a jail is not gone on with: no note, no root, no sandbox.
  const sample = [
    'whose note names what is elsewhere',
    'whose root is gone',
    'of a sandbox that was deleted',
  ];

  test.each(spoilt.filter(([what]) => runsLong || sample.includes(what)))(
    'O-1: is ended when it is one %s, and the reason is told',
    async (_, reason, spoil) => {
      const begun = await begin(options, 'SIGKILL');
      await spoil(begun);
      await using bridge = await startServing(options);
      expect(bridge.lost).toEqual([expect.stringContaining(reason)]);
      expect(await leftOf(options)).toEqual([]);
      expect(await living(begun.processes)).toEqual([]);
    },
  );

  test('H-5: is ended when its sandbox is at files that it never had', async () => {
    const begun = await begin(options, 'SIGKILL');
    const store = await openHostStore(join(options.folder, 'sandboxes'), begun.id);
    const history = History.open(store, { isElsewhere: () => true });
    const first = history.list().find(({ parents }) => parents.length === 0) ?? expect.fail('no snapshot');
    await history.moveHead(first.id);
    await store.close();
    await using bridge = await startServing(options);
    await using backend = await connect(bridge);
    const sandbox = await Sandbox.open(begun.id, { backend });
    expect(await sandbox.history.head()).toBe(first.id);
    expect((await sandbox.run('ls; pgrep -c sleep')).stdout).toBe('0\n');
    expect(await living(begun.processes)).toEqual([]);
    await bridge.end('SIGTERM');
  });

  test('O-1: is ended when its folder has another name, by whoever has the folder then', async () => {
    const begun = await begin(options, 'SIGKILL');
    const folder = `${options.folder}-moved`;
    await rename(options.folder, folder);
    try {
      await using bridge = await startServing({ ...options, folder });
      expect(bridge.lost).toEqual([expect.stringContaining('of another folder')]);
      expect(await living(begun.processes)).toEqual([]);
      expect(await leftOf({ folder })).toEqual([]);
    } finally {
      await rename(folder, options.folder);
    }
    expect(await leftOf(options)).toEqual([]);
  });
});

interface Begun {
  readonly id: string;
  /** The last snapshot that the bridge has acknowledged. */
  readonly head: Awaited<ReturnType<Sandbox['history']['head']>>;
  /** Those that were there. */
  readonly known: ReadonlySet<string>;
  readonly identity: string;
  /** Of its jail, by their ids here. */
  readonly processes: readonly number[];
}

/** A sandbox with something in the background, and a bridge that is gone. */
async function begin(
  options: HostOptions,
  signal: NodeJS.Signals,
  { isFrozen = false, last = 'true' }: { readonly isFrozen?: boolean; readonly last?: string } = {},
): Promise<Begun> {
  await using bridge = await startServing(options);
  await using backend = await connect(bridge);
  const sandbox = await Sandbox.create({ backend });
  await sandbox.run(service);
  const ready = Promise.withResolvers<void>();
  await sandbox.commands.run(witness, { background: true, onStdout: () => ready.resolve() });
  await ready.promise;
  const { stdout } = await sandbox.run(identity);
  const { id: head } = await sandbox.createSnapshot();
  const known = new Set((await sandbox.history.log()).map((one) => one.id));
  const processes = await processesOf(options);
  await sandbox.run(last);
  await bridge.end(signal);
  // Init ends after 2 s by the clock what it hung up: frozen in between, that would not get to act on it.
  if (options.reattachMs === longMs) await untilMeanwhile(options);
  if (isFrozen) await freeze(options);
  return { id: sandbox.id, head, known, identity: stdout, processes };
}

/** Resolves when the service has done what it does while there is no bridge. */
async function untilMeanwhile({ folder }: HostOptions): Promise<void> {
  const isThere = async () => {
    const names = await readdir(join(folder, 'roots'), { recursive: true }).catch(() => []);
    return names.some((name) => /\/roots\/.*\/home\/user\/meanwhile$/.test(name));
  };
  await until(isThere);
}

async function groupsOf({ folder }: Pick<HostOptions, 'folder'>): Promise<string[]> {
  const prefix = await groupPrefix(folder);
  return controlGroupsNamed((name) => name.startsWith(prefix));
}

async function processesOf(options: HostOptions): Promise<number[]> {
  const [group = ''] = await groupsOf(options);
  const text = await readFile(join(group, 'cgroup.procs'), 'utf8');
  return text.split('\n').filter(Boolean).map(Number);
}

async function freeze(options: HostOptions): Promise<void> {
  for (const group of await groupsOf(options)) {
    await writeFile(join(group, 'freezer.state'), 'FROZEN', { flag: 'r+' }).catch(() => undefined);
    await writeFile(join(group, 'cgroup.freeze'), '1', { flag: 'r+' }).catch(() => undefined);
  }
}

async function living(pids: readonly number[]): Promise<number[]> {
  const there = new Set(await readdir('/proc'));
  return pids.filter((pid) => there.has(String(pid)));
}

/** What is left of jails but their files. */
async function leftOf(options: Pick<HostOptions, 'folder'>): Promise<string[]> {
  return groupsOf(options);
}

async function noteOf({ folder }: HostOptions): Promise<string> {
  const [name = ''] = await readdir(join(folder, 'jails'));
  return join(folder, 'jails', name, 'record.json');
}

async function editNote(options: HostOptions, edit: (text: string) => string): Promise<void> {
  const path = await noteOf(options);
  await writeFile(path, edit(await readFile(path, 'utf8')));
}
