import { expect } from '@playwright/test';
import type { StaticServer } from '../../scripts/static-server.ts';
import { inLongRun, runsLong } from '../runs-long.ts';
import {
  countingLoop,
  prompt,
  runLine,
  serveSite,
  shows,
  startHolder,
  type,
  untilCounted,
  untilStored,
  waitForCount,
} from './tab/drive-page.ts';
import { openSdkPage } from './tab/sdk-page.ts';
import { test } from './tab/visit-test.ts';

/** Of what other tests cover for the most part. */
const longTest = inLongRun(test);

/** Shows whether a fork goes on: in the long run at full speed. */
const loop = runsLong ? countingLoop.replace('sleep 0.2', ':') : countingLoop;

let site: StaticServer;
test.beforeAll(async () => {
  site = await serveSite();
});
test.afterAll(() => site[Symbol.asyncDispose]());

test('B-4 after a reload the program in the terminal holds what it held, and a counter counts on', async ({
  page,
}) => {
  await page.goto(site.url);
  await prompt(page);
  await type(page, `(${countingLoop}) &`);
  await startHolder(page);
  await type(page, 'x=41');
  await shows(page, /x=41\s*>>>\s*$/);
  await untilStored(page);
  await page.reload();
  await shows(page, /x=41\s*>>>\s*$/);
  await type(page, 'echo "$((x + 1))"');
  await shows(page, /42\s*>>>\s*$/);
  await type(page, 'exit');
  await waitForCount(page);
});

// Three machines at once. Forks of what runs have tests in Node, and one in a page below.
if (runsLong) {
  test('B-4 X-5 what runs is forked twice: three panes count on, each for itself, and all are there after a reload', async ({
    page,
  }) => {
    await page.goto(site.url);
    await prompt(page);
    await runLine(page, `(${countingLoop}) &`);
    await startHolder(page);
    await type(page, 'held=40');
    await shows(page, /held=40\s*>>>\s*$/);
    const panes = [0, 1, 2];
    for (const pane of [1, 2]) {
      await page.locator('coppice-pane').first().locator('coppice-terminal:not([hidden])').first().click();
      await page.getByRole('treeitem', { name: /^now/ }).click();
      await page.getByRole('button', { name: 'Fork with running programs' }).click();
      await shows(page, /held=40\s*>>>\s*$/, pane);
    }
    for (const pane of panes) await type(page, `held=$((held + ${pane})); echo "held $held"`, pane);
    for (const pane of panes) await shows(page, `held ${40 + pane}`, pane);
    for (const pane of panes) await waitForCount(page, pane);

    await untilStored(page, panes.length);
    await page.reload();
    await expect(page.locator('coppice-pane')).toHaveCount(3);
    for (const pane of panes) await shows(page, `held ${40 + pane}`, pane);
    for (const pane of panes) await type(page, 'echo "still $held"', pane);
    for (const pane of panes) await shows(page, `still ${40 + pane}`, pane);
  });
}

longTest(
  'X-8 a fork with memory, and a file of a snapshot with memory, go on with what ran',
  async ({ context }) => {
    const { page, module } = await openSdkPage(context, site.url);
    const told = await page.evaluate(
      async ({ module, loop, untilCounted }) => {
        const { Sandbox, SandboxError }: typeof import('../../sdk/index.ts') = await import(module);
        const sandbox = await Sandbox.create();
        type Opened = typeof sandbox;
        await sandbox.run(`(${loop}) >/dev/null 2>&1 &`);
        await sandbox.run('until [ -s ~/count ]; do sleep 0.01; done');
        /** Answers whether it counts. */
        const counts = async (of: Opened) =>
          (await of.run(untilCounted, { timeoutMs: 300_000 })).exitCode === 0;
        const [fork] = await sandbox.fork({ memory: true });
        if (!fork || fork instanceof SandboxError) throw fork;
        const inFork = await counts(fork);
        await fork.close();

        const { id } = await sandbox.createSnapshot({ memory: true });
        const pieces: Uint8Array[] = [];
        for await (const piece of sandbox.exportSnapshot(id)) pieces.push(piece);
        await sandbox.close();
        await Sandbox.delete(sandbox.id);
        const stream = (from: readonly Uint8Array[]) => new Blob(from as Uint8Array<ArrayBuffer>[]).stream();
        const last = pieces.at(-1)?.slice() ?? new Uint8Array(1);
        last[last.length >> 1] = ~(last[last.length >> 1] ?? 0);
        const altered = await Sandbox.importSnapshot(stream([...pieces.slice(0, -1), last])).then(
          () => 'taken',
          ({ code }) => code,
        );
        const other = await Sandbox.importSnapshot(stream([new TextEncoder().encode('{}\n')])).then(
          () => 'taken',
          ({ code }) => code,
        );
        const made = await Sandbox.open((await Sandbox.importSnapshot(stream(pieces))).id);
        const inMade = await counts(made);
        await made.close();
        return { inFork, altered, other, inMade, bytes: pieces.reduce((sum, { length }) => sum + length, 0) };
      },
      { module, loop, untilCounted },
    );
    expect(told).toMatchObject({
      inFork: true,
      altered: 'corrupt-object',
      other: 'invalid-argument',
      inMade: true,
    });
    // It has what differs from the image, not the memory of a machine.
    expect(told.bytes).toBeLessThan(4 * 2 ** 20);
  },
);
