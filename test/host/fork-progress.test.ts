import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Progress } from '../../protocol/sandbox/progress.ts';
import { connect } from '../../sdk/connect.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { makeTestFolder, runTestBridge } from './open-test-host.ts';
import { whatJailsLack } from './what-jails-lack.ts';

// What takes a moment here takes a while elsewhere, and nothing is unpacked before it is waited for.
vi.mock('../../protocol/limits.ts', async (original) => {
  const { limits } = await original<typeof import('../../protocol/limits.ts')>();
  return { limits: { ...limits, unpackToldEveryMs: 0, layersAhead: 0 } };
});

const lack = await whatJailsLack('overlay');

const thousands = 'mkdir -p many && cd many && seq 4000 | split --lines=1 --suffix-length=3';

describe.skipIf(lack)(`the first start of a fork${lack ? ` (not here: ${lack})` : ''}`, () => {
  test('B-5 H-5 a fork of thousands of files tells all clients how many are unpacked, and a checkout does as an event', async () => {
    await using files = await makeTestFolder('overlay');
    await using bridge = await runTestBridge(files.options);
    const { token } = bridge.host.tokens.create({ name: 'test', scope: 'all' });
    await using backend = await connect({ url: bridge.url, token });
    await using other = await connect({ url: bridge.url, token });
    await using sandbox = await Sandbox.create({ backend });
    const before = await sandbox.createSnapshot({ label: 'before' });
    await sandbox.run(thousands);
    const { id: from } = await sandbox.createSnapshot({ label: 'thousands' });
    const { id } = await sandbox.connection.history.fork({ id: from });
    const told: Progress[][] = [[], []];
    const opened = await Promise.all(
      [backend, other].map((place, n) =>
        Sandbox.open(id, { backend: place, onProgress: (progress) => told[n]?.push(progress) }),
      ),
    );
    for (const each of opened) await each.close();
    for (const list of told) {
      const unpacked = list.filter(({ stage }) => stage === 'unpack');
      expect(unpacked.at(-1)).toMatchObject({
        doneBytes: expect.any(Number),
        text: expect.stringMatching(/^4,0\d\d files$/),
      });
    }
    await Sandbox.delete(id, { backend });

    const events: Progress[] = [];
    const stop = await sandbox.subscribe((event) => event.type === 'progress' && events.push(event.progress));
    onTestFinished(() => stop());
    await sandbox.checkout(before.id);
    expect(events).toEqual([]);
    await sandbox.run(`${thousands}; touch last`);
    const { id: last } = await sandbox.createSnapshot({ label: 'again' });
    await sandbox.checkout(before.id);
    await sandbox.checkout(last);
    await expect
      .poll(() => events.at(-1))
      .toMatchObject({ stage: 'unpack', text: expect.stringMatching(/files$/) });
  });
});
