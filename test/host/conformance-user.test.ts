import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { shellBackend } from '../../runtimes/shell/shell-backend.ts';
import { connect } from '../../sdk/connect.ts';
import { RoutedShell } from '../../sdk/routing/routed-shell.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { sandboxSuite } from '../conformance/sandbox/sandbox-suite.ts';
import { runsLong } from '../runs-long.ts';
import { suiteTests } from '../sample.ts';
import { mappingsSuite } from './mappings-suite.ts';
import { startUserBridge, whatUsersLack } from './user-bridge.ts';

const lack = await whatUsersLack();

/**
 * With one id, everybody inside is root, whose home is /root: what the suite expects of `user` is not there,
 * by its titles. One that is there no more is a failure of `test:long`.
 */
const ofTwoUsers = [
  'S-2 a command answers with its output, exit code and what it changed',
  'I-7 commands run as an ordinary user without capabilities, and as root on request',
  'the diff of two snapshots names what was made, changed and removed',
  'files are read, written, listed, renamed and removed',
  'S-3 shells do not mix; runs of one go one after the other, and one that waits can be given up',
  'R-3 a write and a removal are one snapshot each, however many steps they take',
  'R-3 a command that goes on is captured meanwhile',
  'H-4 H-6 a snapshot holds what a running program has written so far',
  'B-1 a login shell of the user is at its prompt in the home directory',
  'I-6 jobs: Ctrl-Z stops, fg continues, Ctrl-C interrupts, & runs behind',
  'R-3 what a line changed is captured with the line as its cause, which the screen does not show',
  'B-10 an export comes in bounded pieces, and is of one moment whatever changes meanwhile',
  'S-4 S-10 an archive is unpacked where it is asked to, in pieces of any size; one that is refused leaves nothing',
  'B-9 B-10 an export of a directory has what is below it, by bytes, and can be unpacked elsewhere',
  'I-3 is cloned whole to its place by the user, and a snapshot says so',
  'I-3 has its submodules where they are asked for, and none otherwise',
  'I-3 stays as it is where something is at its place already',
  'I-3 begins at a tag, or at a commit that no branch has',
  'I-3 H-8 given up half way, it leaves nothing and no git that runs',
  'I-3 H-10 without git in the image it is unsupported, and says what to do',
];
const skips = { range: [], one: ofTwoUsers } as const satisfies Record<string, readonly string[]>;

for (const ids of ['range', 'one'] as const) {
  describe.skipIf(lack)(
    `R-11 a bridge of an ordinary user, ids: ${ids}${lack ? ` (not here: ${lack})` : ''}`,
    () => {
      const stack = new AsyncDisposableStack();
      const tests = suiteTests(ids);
      const met = new Set<string>();
      let backend: Awaited<ReturnType<typeof connect>>;
      beforeAll(async () => {
        const bridge = stack.use(await startUserBridge(ids));
        backend = stack.use(await connect(bridge));
      });
      afterAll(() => stack.disposeAsync());
      beforeEach(({ task, skip }) => {
        met.add(task.name);
        skip(
          skips[ids].some((title) => title === task.name),
          'with one id there is one user, root',
        );
      });
      afterAll(() => {
        expect(tests.unknown()).toEqual([]);
        if (runsLong) expect(skips[ids].filter((title) => !met.has(title))).toEqual([]);
      });
      sandboxSuite(() => Sandbox.create({ backend }), tests);
      mappingsSuite(() => Sandbox.create({ backend }), tests);

      test('B-8 S-3 a shell moves there with files of several owners, as those of an image are', async () => {
        await using routed = await RoutedShell.open({
          places: [
            { backend: shellBackend(), runtime: 'shell' },
            { name: 'the rack', backend, runtime: 'jail', memoryMiB: 128 },
          ],
        });
        await routed.run('mkdir work; cd work; echo mine > mine');
        await routed.sandbox.run('mkdir /opt/theirs; echo theirs > /opt/theirs/file', { user: 'root' });
        const moved = await routed.run('perl -e "print 6 * 7"; cat mine /opt/theirs/file; pwd');
        expect(moved).toMatchObject({
          ...{ stdout: '42mine\ntheirs\n/home/user/work\n', stderr: '', exitCode: 0 },
          choice: { place: { name: 'the rack' }, why: 'shell has no perl', lost: [] },
        });
      });
    },
  );
}
