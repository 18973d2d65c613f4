import { afterAll, beforeAll, expect } from 'vitest';
import type { SandboxEvent } from '../../../protocol/sandbox/events.ts';
import { Sandbox } from '../../../sdk/sandbox.ts';
import type { Shell } from '../../../sdk/shells.ts';
import { EventWatch } from './event-watch.ts';
import type { OpenSandbox } from './open-sandbox.ts';
import { SuiteTests } from './suite-tests.ts';

const home = '/home/user';

/** States of a sandbox's files, whatever runs it: no program is needed to see them. */
export function statesSuite(openSandbox: OpenSandbox, tests: SuiteTests = new SuiteTests()): void {
  tests.describe('states of a sandbox', (test) => {
    let sandbox: Sandbox;
    beforeAll(async () => {
      sandbox = await openSandbox();
    });
    afterAll(() => sandbox?.close());

    test('H-5 going back brings every file back, and none of the newer state is seen', async () => {
      const { files } = sandbox;
      await files.write(`${home}/kept`, 'then', { mode: 0o640 });
      await files.makeDirectory(`${home}/left/below`);
      await files.write(`${home}/left/below/file`, 'then too');
      const { id } = await sandbox.createSnapshot({ label: 'then' });
      await files.write(`${home}/kept`, 'now', { mode: 0o600 });
      await files.rename(`${home}/left`, `${home}/moved`);
      await files.write(`${home}/made`, 'new');
      const { previousHead } = await sandbox.checkout(id);
      expect(await files.read(`${home}/kept`)).toBe('then');
      expect((await files.stat(`${home}/kept`)).mode).toBe(0o640);
      expect(await files.read(`${home}/left/below/file`)).toBe('then too');
      for (const name of ['moved', 'made']) expect(await files.exists(`${home}/${name}`)).toBe(false);
      await sandbox.checkout(previousHead);
      expect(await files.read(`${home}/kept`)).toBe('now');
      expect(await files.read(`${home}/moved/below/file`)).toBe('then too');
      expect(await files.exists(`${home}/left`)).toBe(false);
    });

    test('R-3 events that were missed are told to a client that asks for those after a number', async () => {
      const seen: SandboxEvent[] = [];
      const unsubscribe = await sandbox.subscribe((event) => void seen.push(event));
      await sandbox.files.write(`${home}/noted`, 'x');
      const { id } = await sandbox.createSnapshot({ label: 'noted', ifChanged: true });
      await expect
        .poll(() => seen.some((event) => event.type === 'snapshot' && event.head === id))
        .toBe(true);
      await unsubscribe();
      const lastSeen = seen.at(-1)?.seq ?? 0;
      await sandbox.checkout(id);
      const later: SandboxEvent[] = [];
      await sandbox.subscribe((event) => void later.push(event), { after: lastSeen });
      await expect.poll(() => later.map(({ type }) => type)).toContain('head');
      expect(later.map(({ seq }) => seq)).toEqual(later.map((_, at) => lastSeen + 1 + at));
      expect(seen.every(({ seq }) => seq <= lastSeen)).toBe(true);
    });

    test('a tag is told of, names its snapshot, and moves', async () => {
      const { id: first } = await sandbox.createSnapshot({ label: 'first' });
      const { id: second } = await sandbox.createSnapshot({ label: 'second' });
      const events = await EventWatch.open(sandbox);
      for (const id of [first, second]) {
        await sandbox.history.setTag('here', id);
        await events.next('history');
        expect(await sandbox.history.resolve('here')).toBe(id);
      }
    });
  });
}

/** Forks of a sandbox, where it is kept in a place that has room for others. */
export function forksSuite(openSandbox: OpenSandbox, tests: SuiteTests = new SuiteTests()): void {
  const test = tests.alone('forks of a sandbox');
  test('C-2 P-1 a fork begins with the files of its snapshot, each goes its own way, and a recording goes on with its own', async () => {
    await using origin = await openSandbox();
    const recording = await origin.record();
    let recorded = '';
    const reading = (async () => {
      for await (const piece of recording) recorded += new TextDecoder().decode(piece);
    })();
    await origin.files.write(`${home}/shared`, 'before');
    const { id } = await origin.createSnapshot({ label: 'before' });
    await origin.files.write(`${home}/shared`, 'after');
    const [fork] = await origin.fork({ from: id });
    if (!(fork instanceof Sandbox)) throw fork ?? new Error('There is no fork');
    await using other = fork;
    expect(await other.history.head()).toBe(id);
    expect(await other.files.read(`${home}/shared`)).toBe('before');
    await other.files.write(`${home}/theirs`, 'x');
    expect(await origin.files.exists(`${home}/theirs`)).toBe(false);
    expect(await origin.files.read(`${home}/shared`)).toBe('after');
    await other.run('echo of-the-fork');
    await origin.run('echo of-the-origin');
    await recording.stop();
    await reading;
    expect(recorded).toContain('of-the-origin');
    expect(recorded).not.toContain('of-the-fork');
  });

  test('S-3 C-2 a fork has the shells of its snapshot, and each goes its own way', async () => {
    await using origin = await openSandbox();
    await using shell = await origin.shell({ cwd: '/tmp' });
    const output = async (of: Shell, command: string) => (await of.run(command)).stdout;
    await shell.run('NAME=origin; f() { echo "f $NAME"; }');
    const [fork] = await origin.fork();
    if (!(fork instanceof Sandbox)) throw fork ?? new Error('There is no fork');
    await using other = fork;
    const twin = await other.shell({ id: shell.id });
    expect(await output(twin, 'f; pwd; NAME=fork')).toBe('f origin\n/tmp\n');
    expect(await output(shell, 'f')).toBe('f origin\n');
    expect(await output(twin, 'f')).toBe('f fork\n');
    await other.createSnapshot({ label: 'kept' });
    await other.history.collectGarbage();
    await other.checkout('HEAD');
    expect(await output(twin, 'f')).toBe('f fork\n');
  });
}
