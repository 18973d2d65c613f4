import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openHostCli } from './supervising.ts';
import { whatJailsLack } from './what-jails-lack.ts';

const lack = await whatJailsLack();

/** Fills the disk, which is its own as much as that of what is stored, until it is told to make room. */
const agent = `
echo "agent finds $(< /state)"; block=$(printf '%65536s' x)
while read -r task; do
  case $task in
  fill) while printf %s "$block"; do :; done > /large 2> /dev/null; echo "agent is full";;
  free) rm /large; echo "agent has room";;
  *) echo "$task" > /state; echo "agent wrote $task";;
  esac
done`;

describe.skipIf(lack)(`supervise on a disk that fills up${lack ? ` (not here: ${lack})` : ''}`, () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'coppice-full-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=128m', 'none', folder]);
    for (const program of ['/bin/bash', '/bin/rm']) {
      const needed = execFileSync('ldd', [program], { encoding: 'utf8' }).match(/\/\S+/g) ?? [];
      for (const path of [program, ...needed]) {
        await mkdir(dirname(join(folder, 'source', path)), { recursive: true });
        await cp(await realpath(path), join(folder, 'source', path));
      }
    }
  });
  afterAll(async () => {
    execFileSync('umount', [folder]);
    await rm(folder, { recursive: true });
  });

  test('R-6 H-4 what cannot be captured is said, the agent goes on, and what came before is gone back to', async () => {
    const variables = { COPPICE_ROOT: join(folder, 'root') };
    await using cli = await openHostCli('root', { names: [], variables });
    await cli.run('init', '--from', join(folder, 'source'), '--quiet');
    await using supervised = cli.start(['supervise', '--user', 'root', '--', 'bash', '-c', agent]);
    await supervised.says('agent finds');
    supervised.say('one\n');
    await supervised.says('agent wrote one');
    const { id } = (await cli.ctl('commit', 'one')) as { id: string };
    supervised.say('fill\n');
    await supervised.says('agent is full');
    await expect(cli.run('commit', '-m', 'full')).rejects.toMatchObject({
      code: 8,
      stderr: expect.stringContaining('the disk is full'),
    });
    supervised.say('free\n');
    await supervised.says('agent has room');
    supervised.say('two\n');
    await supervised.says('agent wrote two');
    await cli.ctl('commit', 'two');
    await cli.ctl('checkout', id);
    await supervised.says('agent finds one');
    expect(await supervised.end('SIGTERM')).toBe(143);
  });
});
