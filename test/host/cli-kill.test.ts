import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { askControl, connectControl } from '../../cli/control/control-client.ts';
import { openServedPlace } from '../../cli/place/open-served-place.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { remains, residues } from './residues.ts';
import { type HostCli, openHostCli } from './supervising.ts';
import { whatJailsLack } from './what-jails-lack.ts';

/** A sample; `npm run test:long` asks for more. */
const kills = Number(process.env.COPPICE_KILLS ?? 2);
/** The supervisor is killed at some time within this, from when its agent runs. */
const loadMs = 500;

const lack = await whatJailsLack();

/** It writes for ever, leaves processes behind, and ignores what would end it. */
const agent = `trap '' TERM HUP INT; setsid sleep 1000 &
echo started; n=0; while :; do n=$((n+1)); echo $n > ~/file-$((n%100)); done`;

describe.skipIf(lack)(`a supervisor under load${lack ? ` (not here: ${lack})` : ''}`, () => {
  test(`R-6 H-4 killed ${kills} times at any instant, it loses no snapshot that it acknowledged and leaves nothing behind`, async () => {
    await using cli = await openHostCli('root', { isKilled: true });
    const promised = new Map<string, string>();
    for (let round = 0; round <= kills; round++) {
      await using supervised = cli.start(['supervise', '--', 'bash', '-c', agent]);
      await supervised.says('started');
      expect(await brokenPromises(cli, promised)).toEqual([]);
      if (round === kills) {
        // Ignored by the agent, which is killed after a while.
        await cli.run('ctl', 'checkout', 'HEAD', '--discard');
        await supervised.says('started', 2);
        await supervised.end('SIGKILL');
        break;
      }
      const kept = Promise.withResolvers<void>();
      const loads = [commit(cli, { round, promised, onKept: kept.resolve }), goBack(cli, kept.promise)];
      const isTime = async () => {
        if (round % 2 === 1) await kept.promise;
        await delay(Math.random() * loadMs);
      };
      await Promise.race([isTime(), ...loads]);
      await supervised.end('SIGKILL');
      await Promise.all(loads);
    }
    // The launcher ends a jail as soon as its supervisor is gone.
    await vi.waitFor(async () => expect(await remains(cli.folder)).toEqual([]), {
      timeout: 120_000,
      interval: 100,
    });
    expect(promised.size).toBeGreaterThanOrEqual(Math.floor(kills / 2));
  }, 3_600_000);
});

/** Writes a note and takes a snapshot of it, over and over, until whoever serves is gone. */
async function commit(
  { folder }: HostCli,
  {
    round,
    promised,
    onKept,
  }: { readonly round: number; readonly promised: Map<string, string>; readonly onKept: () => void },
): Promise<void> {
  await untilLost(folder, async (ask, n) => {
    const note = `round ${round}, note ${n}`;
    await ask('exec', { words: ['sh', '-c', `echo "${note}" > ~/note`] });
    const { id } = (await ask('commit', { label: note })) as { id: string };
    promised.set(id, note);
    onKept();
  });
}

/** Checks HEAD out, which starts the agent again, once there is a snapshot of this round. */
async function goBack({ folder }: HostCli, kept: Promise<void>): Promise<void> {
  await untilLost(folder, async (ask) => {
    await Promise.race([kept, delay(loadMs)]);
    await ask('checkout', { snapshot: 'HEAD' });
    await delay(loadMs / 4);
  });
}

type Ask = (op: string, fields: Readonly<Record<string, unknown>>) => Promise<unknown>;

async function untilLost(folder: string, work: (ask: Ask, n: number) => Promise<void>): Promise<void> {
  const socket: Socket | undefined = await connectControl(folder);
  if (!socket) return;
  try {
    for (let n = 1; ; n++) await work((op, fields) => askControl(socket, { op, fields }), n);
  } catch (error) {
    expect(error).toMatchObject({ code: 'connection-lost' });
  } finally {
    socket.destroy();
  }
}

/** What of `promised` is not so, and what earlier supervisors have left. */
async function brokenPromises({ folder }: HostCli, promised: ReadonlyMap<string, string>): Promise<string[]> {
  await using place = await openServedPlace(folder, {
    signal: new AbortController().signal,
    environment: {},
  });
  if (!place) return ['nobody serves the folder'];
  const { backend } = place;
  const [info] = await backend.list();
  await using sandbox = await Sandbox.open(info?.id ?? '', { backend });
  const { snapshots } = await sandbox.history.get();
  const there = new Set<string>(snapshots.map(({ id }) => id));
  const broken = [...promised].filter(([id]) => !there.has(id)).map(([, note]) => `${note} is lost`);
  for (const { id } of snapshots.filter((each) => promised.has(each.id)).slice(-3)) {
    // What runs beside it may have written between the two.
    const note = await sandbox.files.read('/home/user/note', { at: id });
    if (!note.startsWith('round ')) broken.push(`${promised.get(id)} says ${note}`);
  }
  // The jail that runs has one group, in each hierarchy, and one root.
  const found = new Set(await residues(folder, { backend, bridge: { running: [] } }));
  return found.size > 2 ? [...broken, ...found] : broken;
}
