import { expect } from '@playwright/test';
import type { StaticServer } from '../../scripts/static-server.ts';
import { type BridgeProcess, startBridgeProcess } from '../fixtures/bridge-process.ts';
import { whatMovesLack } from '../host/what-jails-lack.ts';
import { serveSite } from './tab/drive-page.ts';
import { openSdkPage } from './tab/sdk-page.ts';
import { test } from './tab/visit-test.ts';

let site: StaticServer;
let bridge: BridgeProcess;

test.beforeAll(async () => {
  const lack = await whatMovesLack();
  test.skip(lack !== undefined, `no jails for sandboxes of tabs here: ${lack}`);
  site = await serveSite();
  bridge = await startBridgeProcess({ allowOrigin: new URL(site.url).origin });
});
test.afterAll(async () => {
  await bridge?.[Symbol.asyncDispose]();
  await site?.[Symbol.asyncDispose]();
});

test('X-1 B-9 what is written in the tab is compiled on a host, comes back under its id, and runs in the tab', async ({
  context,
}) => {
  const { page, module } = await openSdkPage(context, site.url);
  const seen = await page.evaluate(
    async ({ module, address }) => {
      const { Sandbox, connect }: typeof import('../../sdk/index.ts') = await import(module);
      await using tab = await Sandbox.create();
      await tab.files.write('/home/user/main.c', 'int main(void) { return 42; }');
      const before = await tab.createSnapshot({ label: 'written in the tab' });
      await using host = await connect(address);
      let movedBytes = 0;
      const far = await tab.copyTo(host, {
        snapshot: before.id,
        onProgress: (bytes) => (movedBytes = bytes),
      });
      const farHead = await far.history.head();
      const built = await far.run('tcc -o main main.c');
      const after = await far.createSnapshot({ label: 'built on the host' });
      await far.copyInto(tab, { snapshot: after.id });
      await far.close();
      await tab.checkout(after.id);
      const { exitCode } = await tab.run('./main');
      const sameTree = (await tab.diff(after.id, 'now')).length === 0;
      return {
        runtimes: [tab.info.runtime, far.info.runtime],
        ids: [farHead === before.id, (await tab.history.head()) === after.id, sameTree],
        exits: [built.exitCode, exitCode],
        movedBytes,
      };
    },
    { module, address: { url: bridge.url, token: bridge.token } },
  );
  expect(seen).toMatchObject({ runtimes: ['v86', 'jail'], ids: [true, true, true], exits: [0, 42] });
  // The image did not move with it.
  expect(seen.movedBytes).toBeGreaterThan(0);
  expect(seen.movedBytes).toBeLessThan(100_000);
});

test('X-4 of a tournament of eight candidates two run in machines of the tab and six in jails of a host; there is one winner', async ({
  context,
}) => {
  const { page, module } = await openSdkPage(context, site.url);
  const seen = await page.evaluate(
    async ({ module, address }) => {
      const { Sandbox, connect }: typeof import('../../sdk/index.ts') = await import(module);
      await using tab = await Sandbox.create();
      await tab.files.write('/home/user/main.c', 'int main(void) { return VALUE; }');
      await using host = await connect(address);
      const place = { name: 'host', backend: host };
      const before = await Sandbox.list({ backend: host });
      const build = (value: number): string => `tcc -DVALUE=${value} -o main main.c`;
      const tournament = await tab.tournament({
        candidates: [
          ...[1, 2].map(build),
          ...[3, 4, 5, 6, 7, 8].map((value) => ({ command: build(value), place })),
        ],
        test: './main; code=$?; uname -m; echo "score $code"',
        judge: 'best:score (\\d+)',
        jobs: 4,
      });
      const { exitCode } = await tab.run('./main');
      return {
        winner: tournament.winner,
        failures: tournament.candidates.flatMap(({ state, why }) => (state === 'failed' ? [why] : [])),
        states: tournament.candidates.map(({ state }) => state),
        scores: tournament.candidates.map(({ score }) => score),
        exitCode,
        left: [(await Sandbox.list()).length, (await Sandbox.list({ backend: host })).length - before.length],
        leftOver: tournament.leftOver,
      };
    },
    { module, address: { url: bridge.url, token: bridge.token } },
  );
  expect(seen).toEqual({
    winner: 7,
    failures: [],
    states: [...Array(7).fill('passed'), 'won'],
    scores: [1, 2, 3, 4, 5, 6, 7, 8],
    exitCode: 8,
    left: [1, 0],
    leftOver: [],
  });
});
