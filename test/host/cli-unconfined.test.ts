import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openHostCli } from './supervising.ts';

const lack = process.getuid?.() === 0 ? '' : ' (not here: root)';

test.skipIf(lack).each(['root', 'ordinary'] as const)(
  `S-5${lack} without walls a run by a user who is %s ends all that it began when it is told to, and deletes its folder`,
  async (user) => {
    await using cli = await openHostCli(user, { names: [] });
    await using run = cli.start([
      ...['run', '--isolation', 'none'],
      'trap "exit 9" TERM; echo "in $PWD"; setsid sleep 1000 & echo "pid $!"; echo ready; wait',
    ]);
    await run.says('ready');
    const [, folder = ''] = /^in (.+)$/m.exec(run.output()) ?? [];
    const [, pid = ''] = /^pid (\d+)$/m.exec(run.output()) ?? [];
    // A shell still, or the program that it starts.
    expect([existsSync(folder), isRunning(pid)]).toEqual([true, true]);
    expect(await run.end('SIGTERM')).toBe(9);
    expect([existsSync(folder), isRunning(pid)]).toEqual([false, false]);
    expect(run.output()).toContain('Without isolation');
  },
);

/** Not one that has ended, though its parent may not have asked how. */
function isRunning(pid: string): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
