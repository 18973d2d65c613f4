import { expect } from 'vitest';
import type { OpenSandbox } from './open-sandbox.ts';
import { SuiteTests } from './suite-tests.ts';

/** Snapshots that move from one sandbox to another, whatever runs them. */
export function movesSuite(openSandbox: OpenSandbox, tests: SuiteTests = new SuiteTests()): void {
  const test = tests.alone('moves between sandboxes');
  test('X-1 B-9 a snapshot of one sandbox is checked out in another, under the same id', async () => {
    await using origin = await openSandbox();
    await using other = await openSandbox();
    await origin.run('echo moved > ~/note; chmod 600 ~/note; ln -s note ~/link; rm /etc/motd', {
      user: 'root',
    });
    const { id } = await origin.createSnapshot();
    let movedBytes = 0;
    const onProgress = (bytes: number) => {
      movedBytes = bytes;
    };
    expect((await origin.copyInto(other, { snapshot: id, onProgress })).id).toBe(id);
    // The image is some hundred times as large.
    expect(movedBytes).toBeLessThan(1_000_000);
    expect(await other.history.head()).not.toBe(id);
    await other.checkout(id);
    expect(await other.history.head()).toBe(id);
    const { stdout } = await other.run('cat ~/link; stat -c %a ~/note; ls /etc/motd', { user: 'root' });
    expect(stdout).toBe('moved\n600\n');
  });
}
