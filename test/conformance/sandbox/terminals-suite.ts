import { afterAll, beforeAll, expect } from 'vitest';
import type { Sandbox } from '../../../sdk/sandbox.ts';
import { EventWatch } from './event-watch.ts';
import type { OpenSandbox } from './open-sandbox.ts';
import { SuiteTests } from './suite-tests.ts';
import { Terminal } from './terminal.ts';

/** Terminals of a sandbox, whatever runs it. */
export function terminalsSuite(openSandbox: OpenSandbox, tests: SuiteTests = new SuiteTests()): void {
  tests.describe('a terminal of a sandbox', (test) => {
    let sandbox: Sandbox;
    beforeAll(async () => {
      sandbox = await openSandbox();
    });
    afterAll(() => sandbox?.close());

    test('B-1 a login shell of the user is at its prompt in the home directory', async () => {
      const terminal = await Terminal.open(sandbox);
      expect(terminal.text).toContain('user@coppice');
      expect(await terminal.run('echo "$USER $HOME $PWD $SHLVL $TERM"; tty')).toMatch(
        /user \/home\/user \/home\/user 1 xterm-256color\r\n\/dev\/pts\/\d+\r\n/,
      );
      await terminal.type('exit 3\n');
      expect(await terminal.exit).toMatchObject({ exitCode: 3, reason: 'exited' });
    });

    test('I-6 a resize reaches the program and its size', async () => {
      const terminal = await Terminal.open(sandbox);
      expect(await terminal.run('stty size')).toContain('24 80\r\n');
      await terminal.run("trap 'echo resized-to-$(stty size)' WINCH");
      await terminal.resize(100, 40);
      // A signal that comes just before bash waits for input is acted on with the next key.
      await terminal.type('\n');
      await terminal.shows(/resized-to-40 100.*[$#] \S{0,3}$/s);
      await terminal.run('true');
      await terminal.kill();
      expect(await terminal.exit).toMatchObject({ signal: 'SIGHUP' });
    });

    test('I-6 jobs: Ctrl-Z stops, fg continues, Ctrl-C interrupts, & runs behind', async () => {
      const terminal = await Terminal.open(sandbox);
      await terminal.type("sh -c 'echo in-front-$((1+1)); exec sleep 1000'\n");
      await terminal.shows(/in-front-2/);
      await terminal.type('\x1a');
      await terminal.shows(/Stopped.*[$] \S{0,3}$/s);
      await terminal.type('fg\n');
      await terminal.shows(/fg\r\n.*exec sleep 1000'\r\n/s);
      // The shell shows the job before it gives it the terminal; until then Ctrl-C is the shell's.
      const inFront = async () => (await sandbox.run(['ps', '-o', 'stat=', '-C', 'sleep'])).stdout;
      await expect.poll(inFront, { timeout: 60_000 }).toMatch(/^SN?\+/); // `N`: the tests run at a low priority.
      await terminal.type('\x03');
      await terminal.shows(/\^C.*[$] \S{0,3}$/s);
      expect(await terminal.run('echo status-$?')).toContain('status-130');
      await terminal.run('sleep 1000 &');
      expect(await terminal.run('jobs')).toContain('Running');
      expect(await terminal.run('kill %1; wait %1; echo status-$?')).toContain('status-143');
      await terminal.kill();
      await terminal.exit;
    });

    test('R-3 what a line changed is captured with the line as its cause, which the screen does not show', async () => {
      const terminal = await Terminal.open(sandbox);
      await sandbox.createSnapshot(); // The shell before has written its history on leaving.
      const events = await EventWatch.open(sandbox);
      await terminal.run('mkdir -p made && for i in 1 2 3; do echo $i > made/$i; done');
      const { snapshot } = await events.next('snapshot');
      expect(snapshot.cause).toMatchObject({
        type: 'capture',
        commands: ['mkdir -p made && for i in 1 2 3; do echo $i > made/$i; done'],
      });
      expect(snapshot.changes.paths).toEqual(
        expect.arrayContaining(['/home/user/made', ...[1, 2, 3].map((name) => `/home/user/made/${name}`)]),
      );
      expect(terminal.text).not.toContain('6973');
      await terminal.kill();
      await terminal.exit;
    });

    test('I-6 closing a terminal hangs up what runs in it', async () => {
      const terminal = await Terminal.open(sandbox);
      await terminal.run('sleep 2222 &');
      await terminal.type('sleep 2222\n');
      const left = async () => (await sandbox.run(['pgrep', '-fc', '^sleep 2222$'])).stdout;
      // A shell that is just about to start one may miss that it is to end it.
      await expect.poll(left, { timeout: 60_000 }).toBe('2\n');
      await terminal.kill();
      await terminal.exit;
      await expect.poll(left, { timeout: 60_000 }).toBe('0\n');
    });

    test('H-5 a checkout ends a terminal and says why', async () => {
      const { id } = await sandbox.createSnapshot();
      const terminal = await Terminal.open(sandbox);
      await sandbox.checkout(id);
      expect(await terminal.exit).toMatchObject({ reason: 'checkout' });
      const again = await Terminal.open(sandbox);
      expect(await again.run('echo again-$((1+1))')).toContain('again-2');
    });
  });
}
