import { afterAll, beforeAll, expect } from 'vitest';
import type { Checkpoint } from '../../../protocol/checkpoint.ts';
import type { SnapshotInfo } from '../../../protocol/sandbox/history.ts';
import type { Sandbox } from '../../../sdk/sandbox.ts';
import { runsLong } from '../../runs-long.ts';
import type { OpenSandbox } from './open-sandbox.ts';
import { SuiteTests } from './suite-tests.ts';
import { Terminal } from './terminal.ts';

/** How often a test goes back: fewer times in the sample. */
const rounds = runsLong ? { screen: 10, steps: 20 } : { screen: 4, steps: 6 };
/** RIS. */
const resetScreen = '\x1bc';

/** Checkpoints of a running machine, of runtimes that keep them. */
export function checkpointsSuite(openSandbox: OpenSandbox, tests: SuiteTests = new SuiteTests()): void {
  tests.describe('checkpoints of a sandbox', (test) => {
    let sandbox: Sandbox;
    beforeAll(async () => {
      sandbox = await openSandbox();
    });
    afterAll(() => sandbox?.close());

    /** The checkpoint of the last command like this. */
    const checkpointOf = async (command: RegExp): Promise<Checkpoint> => {
      let found: Checkpoint | undefined;
      const look = async () => {
        const { checkpoints } = await sandbox.checkpoints.list();
        found = checkpoints.findLast(({ cause }) => cause.type === 'command' && command.test(cause.command));
        return found;
      };
      await expect.poll(look, { timeout: 60_000 }).toBeDefined();
      return found as Checkpoint;
    };

    test('S-3 B-4 a shell is what it was at the checkpoint, with its jobs, and what runs in it now ends', async () => {
      await using shell = await sandbox.shell();
      await shell.run('NAME=then; sleep 1000 & true');
      const then = await checkpointOf(/NAME=then/);
      await shell.run('NAME=between; cd /usr');
      const up = Promise.withResolvers<void>();
      const run = shell.run('NAME=now; cd /; echo up; sleep 1000', { onStdout: () => up.resolve() });
      await up.promise;
      await sandbox.checkpoints.restore(then);
      expect(await run).toMatchObject({ reason: 'checkout', stdout: 'up\n' });
      expect(await shell.info()).toMatchObject({ cwd: '/home/user' });
      const { stdout } = await shell.run('echo "$NAME $PWD"; jobs -r | wc -l');
      expect(stdout).toBe('then /home/user\n1\n');
      expect(await shell.info()).toMatchObject({ cwd: '/home/user', lost: ['jobs'] });
    });

    test('B-4 a program that holds something in memory holds what it held, and goes on', async () => {
      const terminal = await Terminal.open(sandbox);
      await terminal.type('python3\n');
      await terminal.shows(/>>> $/);
      await terminal.type('x = 41\n');
      await terminal.shows(/x = 41\r\n>>> $/);
      await sandbox.run('echo then > ~/file');
      const then = await checkpointOf(/echo then/);
      await terminal.type('x = 0\n');
      await terminal.shows(/x = 0\r\n>>> $/);
      await sandbox.run('echo now > ~/file; touch ~/other');

      const gone = await sandbox.checkpoints.restore(then);
      expect((await sandbox.run('cat ~/file; ls ~')).stdout).toBe('then\nfile\n');
      // The screen is that of then, shown anew after a reset.
      await expect.poll(() => terminal.text).toMatch(new RegExp(`${resetScreen}.*x = 41\r\n>>> $`, 's'));
      await terminal.type('print(x + 1)\n');
      await terminal.shows(/\r\n42\r\n>>> $/);

      // What was left is not lost.
      expect(gone.previous).toBeDefined();
      await sandbox.checkpoints.restore(gone.previous ?? 0);
      expect((await sandbox.run('cat ~/file')).stdout).toBe('now\n');
      await terminal.type('print(x - 1)\n');
      await terminal.shows(/\r\n-1\r\n>>> $/);
      await terminal.type('exit()\n');
      await terminal.shows(/[$] \S{0,3}$/);
      await terminal.kill();
      await terminal.exit;
    });

    test('B-4 the history goes on from where the checkpoint stood', async () => {
      await sandbox.run('echo 1 > ~/step');
      await sandbox.createSnapshot({ label: 'one', ifChanged: true });
      await sandbox.run('echo 2 > ~/step');
      await sandbox.createSnapshot({ label: 'two', ifChanged: true });
      const then = await checkpointOf(/echo 2/);
      await sandbox.run('echo 3 > ~/step');
      const three = await sandbox.createSnapshot({ label: 'three', ifChanged: true });
      const { head } = await sandbox.checkpoints.restore(then);
      expect(head).toBe(then.head);
      await sandbox.run('echo 4 > ~/step');
      const four = await sandbox.createSnapshot({ label: 'four', ifChanged: true });
      const { snapshots } = await sandbox.history.get();
      const ancestors = ancestorsOf(snapshots, four.id);
      expect([ancestors.has(then.head), ancestors.has(three.id)]).toEqual([true, false]);
      expect((await sandbox.run('cat ~/step')).stdout).toBe('4\n');
    });

    test('H-5 processes that began since end, those of then go on', async () => {
      const lines: string[] = [];
      const before = await sandbox.commands.run('i=0; while :; do i=$((i+1)); echo $i; sleep 0.05; done', {
        background: true,
        onStdout: (text) => void lines.push(text),
      });
      await expect.poll(() => lines.length, { timeout: 60_000 }).toBeGreaterThan(3);
      await sandbox.run('echo mark-a');
      const then = await checkpointOf(/mark-a/);
      const after = await sandbox.commands.run('sleep 1000', { background: true });
      const shown = lines.length;
      await sandbox.checkpoints.restore(then);
      expect(await after.wait()).toMatchObject({ reason: 'checkout' });
      await expect.poll(() => lines.length, { timeout: 60_000 }).toBeGreaterThan(shown + 3);
      expect((await sandbox.run('pgrep -fc "^sleep 1000$"')).stdout).toBe('0\n');
      await before.kill();
      await before.wait().catch(() => undefined);
    });

    test("the checkpoint of a terminal's command shows all that the command has written", async () => {
      const terminal = await Terminal.open(sandbox);
      await terminal.run('echo mark-"$((6 * 7))"');
      const then = await checkpointOf(/echo mark-"\$/);
      const screen = await sandbox.connection.checkpoints.terminalOutput({
        checkpoint: then.id,
        pid: terminal.pid,
      });
      expect(new TextDecoder().decode(screen)).toContain('mark-42\r\n');
      await terminal.kill();
      await terminal.exit;
    });

    test('the checkpoint of a terminal shows what it has written, also what nobody has taken yet', async () => {
      const taken = Promise.withResolvers<void>();
      const pty = { columns: 80, rows: 24 };
      const command = 'echo one; read; echo two; read';
      const process = await sandbox.connection.processes.exec({ command, pty }, () => taken.promise);
      await process.write(Uint8Array.of(0x0a));
      const screenNow = async () => {
        await sandbox.run('echo mark-c');
        const { id } = await checkpointOf(/mark-c/);
        return new TextDecoder().decode(
          await sandbox.connection.checkpoints.terminalOutput({ checkpoint: id, pid: process.pid }),
        );
      };
      await expect.poll(screenNow, { timeout: 60_000 }).toMatch(/one\r\n.*two\r\n/s);
      taken.resolve();
      await process.kill();
    });

    test('what a terminal shows goes on where a checkpoint stood, line by line', async () => {
      const terminal = await Terminal.open(sandbox);
      await terminal.type('i=0; while :; do i=$((i+1)); echo $i; [ $((i%20)) != 0 ] || read -t 0.02; done\n');
      await terminal.shows(/\r\n50\r\n/);
      /** Lines since the screen was reset last. */
      const shown = () => {
        const text = terminal.text.slice(terminal.text.lastIndexOf(resetScreen));
        return [...text.matchAll(/^(\d+)\r?\n/gm)].map(([, digits]) => Number(digits));
      };
      for (let n = 0; n < rounds.screen; n++) {
        await sandbox.run(`echo mark-d${n}`);
        await sandbox.checkpoints.restore(await checkpointOf(new RegExp(`mark-d${n}`)));
        await expect.poll(() => terminal.text.split(resetScreen).length, { timeout: 60_000 }).toBe(n + 2);
        const { length } = shown();
        await expect.poll(() => shown().length, { timeout: 60_000 }).toBeGreaterThan(length + 50);
      }
      const lines = shown();
      expect(lines).toEqual(lines.map((_, at) => (lines[0] ?? 0) + at));
      await terminal.kill();
      await terminal.exit;
    });

    test('checkpoints of commands that were run after going back can be gone to, again and again', async () => {
      const terminal = await Terminal.open(sandbox);
      await terminal.run('at=0');
      for (let n = 1; n <= rounds.steps; n++) {
        await terminal.run(`at=$((at+1)); echo step-"$((at))"`);
        const then = await checkpointOf(/^at=/);
        await terminal.run('at=lost');
        await sandbox.checkpoints.restore(then);
        await terminal.type('echo at-"$at"\n');
        await terminal.shows(new RegExp(`at-${n}\r\n.*[$] \\S{0,3}$`, 's'));
      }
      await terminal.kill();
      await terminal.exit;
    });

    test('a checkout between two checkpoints changes neither', async () => {
      const terminal = await Terminal.open(sandbox);
      await terminal.run('cd /tmp; held=1234');
      await sandbox.run('echo mark-b > ~/b');
      const then = await checkpointOf(/mark-b/);
      const { id } = await sandbox.createSnapshot();
      await sandbox.run('rm ~/b');
      await sandbox.checkout(id);
      expect(await terminal.exit).toMatchObject({ reason: 'checkout' });
      await sandbox.checkpoints.restore(then);
      // The shell of then waits for somebody who asks for one.
      const again = await Terminal.open(sandbox);
      expect(await again.run('echo $held $PWD')).toContain('1234 /tmp\r\n');
      expect((await sandbox.run('cat ~/b')).stdout).toBe('mark-b\n');
      await again.kill();
      await again.exit;
    });

    test('a checkpoint that is not there is not found, a rate that cannot be is refused', async () => {
      await expect(sandbox.checkpoints.restore(999_999)).rejects.toMatchObject({ code: 'not-found' });
      await expect(sandbox.checkpoints.configure({ perSecond: 21 })).rejects.toMatchObject({
        code: 'invalid-argument',
      });
      await sandbox.checkpoints.configure({ perSecond: 20 });
      // By the last of their ids: those of before make room for them.
      const taken = async () => (await sandbox.checkpoints.list()).checkpoints.at(-1)?.id ?? 0;
      const before = await taken();
      await sandbox.run('for i in 1 2 3 4 5 6 7 8; do echo $i; sleep 0.1; done');
      expect(await taken()).toBeGreaterThan(before + 4);
    });
  });
}

function ancestorsOf(
  snapshots: readonly Pick<SnapshotInfo, 'id' | 'parents'>[],
  id: SnapshotInfo['id'],
): Set<SnapshotInfo['id']> {
  const parents = new Map(snapshots.map((snapshot) => [snapshot.id, snapshot.parents[0]]));
  const ancestors = new Set<SnapshotInfo['id']>();
  for (let at = parents.get(id); at && !ancestors.has(at); at = parents.get(at)) ancestors.add(at);
  return ancestors;
}
