import { expect } from '@playwright/test';
import type { StaticServer } from '../../scripts/static-server.ts';
import type { SnapshotId } from '../../tree/history/snapshot-record.ts';
import { serveSite } from './tab/drive-page.ts';
import { killTab, openSdkPage } from './tab/sdk-page.ts';
import { test } from './tab/visit-test.ts';

/** A sample; `npm run test:long` asks for more. */
const kills = Number(process.env.COPPICE_KILLS ?? 2);
/** Longest time from a tab's first acknowledged snapshot to its end. */
const lifeMs = 400;

/** A snapshot whose `createSnapshot` had resolved, and the number in its file. */
interface Acknowledged {
  readonly id: SnapshotId;
  readonly number: number;
}

let site: StaticServer;
test.beforeAll(async () => {
  site = await serveSite();
});
test.afterAll(() => site[Symbol.asyncDispose]());

test(`H-4 a tab killed ${kills} times while it writes loses nothing that was acknowledged`, async ({
  context,
}) => {
  test.setTimeout(360_000);
  const acknowledged: Acknowledged[] = [];
  let onAcknowledged: () => void = () => undefined;
  await context.exposeFunction('acknowledge', (id: SnapshotId, number: number) => {
    acknowledged.push({ id, number });
    onAcknowledged();
  });

  for (let life = 0; life < kills; life++) {
    const { page, module } = await openSdkPage(context, site.url);
    const first = new Promise<void>((resolve) => {
      onAcknowledged = resolve;
    });
    const work = page.evaluate(writeForEver, { module, from: acknowledged.length });
    work.catch(() => undefined); // It ends with its page.
    await Promise.race([first, work]);
    // Any moment will do; these are spread over what a snapshot goes through.
    await page.waitForTimeout((lifeMs * ((life * 7) % kills)) / kills);
    await killTab(context, page);
  }

  const { page, module } = await openSdkPage(context, site.url);
  const found = await page.evaluate(readBack, { module, acknowledged });
  expect(found.numbers).toEqual(acknowledged.map(({ number }) => `${number}\n`));
  expect(found.missing).toEqual([]);
  expect(acknowledged.length).toBeGreaterThanOrEqual(kills);
  expect(found.numberNow).toBeGreaterThanOrEqual(acknowledged.at(-1)?.number ?? 0);
});

/** In the page: numbers a file, takes a snapshot, tells its id; meanwhile a program writes files of its own. */
async function writeForEver({ module, from }: { module: string; from: number }): Promise<void> {
  const { Sandbox }: typeof import('../../sdk/index.ts') = await import(module);
  const { acknowledge } = window as unknown as { acknowledge(id: string, number: number): Promise<void> };
  const [info] = await Sandbox.list();
  const sandbox = info ? await Sandbox.open(info.id) : await Sandbox.create();
  const busy = 'mkdir -p ~/many; for ((i = 0; ; i++)); do echo $i > ~/many/$((i % 100)); done';
  await sandbox.commands.run(busy, { background: true });
  for (let number = from; ; number++) {
    await sandbox.run(`echo ${number} > ~/number`);
    const { id } = await sandbox.createSnapshot({ label: String(number) });
    await acknowledge(id, number);
  }
}

/** In the page: which snapshots are not in the history, and what the file of each says. */
async function readBack({ module, acknowledged }: { module: string; acknowledged: Acknowledged[] }) {
  const { Sandbox }: typeof import('../../sdk/index.ts') = await import(module);
  const [info] = await Sandbox.list();
  if (!info) throw new Error('The sandbox is gone');
  const sandbox = await Sandbox.open(info.id);
  const kept = new Set((await sandbox.history.get()).snapshots.map(({ id }) => id));
  const numbers: string[] = [];
  for (const { id } of acknowledged) numbers.push(await sandbox.files.read('/home/user/number', { at: id }));
  const { stdout } = await sandbox.run('cat ~/number');
  await sandbox.close();
  return { missing: acknowledged.filter(({ id }) => !kept.has(id)), numbers, numberNow: Number(stdout) };
}
