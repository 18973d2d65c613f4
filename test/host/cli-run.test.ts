import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { remains } from './residues.ts';
import { type HostCli, openHostCli } from './supervising.ts';
import { whatJailsLack } from './what-jails-lack.ts';

const lack = await whatJailsLack();

describe.skipIf(lack)(`run and shell in a jail${lack ? ` (not here: ${lack})` : ''}`, () => {
  let cli: HostCli;

  beforeAll(async () => {
    cli = await openHostCli('root');
  });

  afterAll(async () => {
    await cli[Symbol.asyncDispose]();
  });

  test('S-3 run has a new jail for one command, held to its limits, and leaves nothing of it', async () => {
    const said = await cli.run('run', '--', 'bash', '-c', 'id -un; pwd; echo "$0 $1"', 'a  b');
    expect(said).toBe('user\n/home/user\na  b \n');
    const result = JSON.parse(
      await cli.run(
        'run',
        '--json',
        '--pids',
        '32',
        '--env',
        'A=1',
        'echo $A > f; head -c 1000000 /dev/zero | wc -c',
      ),
    );
    expect(result).toMatchObject({
      runtime: 'jail',
      exitCode: 0,
      stdout: '1000000\n',
      files: { created: ['/home/user/f'] },
    });
    expect(result.maxRssBytes).toBeGreaterThan(0);
    await using late = cli.start(['run', '--timeout', '1s', 'trap "" TERM INT; echo begun; sleep 60']);
    expect(await late.ended).toBe(124);
    await using greedy = cli.start([
      'run',
      '--memory',
      '64M',
      '--',
      'bash',
      '-c',
      'x=$(yes | head -c 200000000); wc -c <<< "$x"',
    ]);
    expect(await greedy.ended).toBe(137);
    await using full = cli.start(['run', '--file-size', '64K', 'head -c 100000 /dev/zero > f; wc -c < f']);
    expect(await full.ended).toBe(0);
    expect(full.output()).toContain('65536');
    expect((await cli.run('list', '--json')).trim().split('\n').length).toBe(1);
    expect(await remains(cli.folder)).toEqual([]);
  });

  test('S-3 an interrupted run ends its command and deletes its jail', async () => {
    await using run = cli.start(['run', 'echo begun; sleep 60']);
    await run.says('begun');
    expect(await run.end('SIGINT')).toBe(130);
    expect((await cli.run('list', '--json')).trim().split('\n').length).toBe(1);
    expect(await remains(cli.folder)).toEqual([]);
  });

  test('S-12 a prompt on a terminal: history, completion, an interrupt, and back to a snapshot', async () => {
    await using shell = cli.start(['shell'], { inTerminal: 'COMMAND' });
    await shell.says('coppice shell --tty');
    await shell.says(':~$ ');
    shell.say('less /etc/passwd\r');
    await shell.says('less needs the terminal');
    await shell.says(':~$ ', 2);
    shell.say('mkdir directory; cd directory; echo "$((6 * 7))" > file; echo "at $(pwd | tr a-z A-Z)"\r');
    await shell.says('at /HOME/USER/DIRECTORY\r\n');
    await shell.says(':~/directory$ ');
    // A tab amid what is pasted is no key.
    shell.say('cat fi');
    await shell.says('cat fi');
    shell.say('\t');
    await shell.says('le ');
    shell.say('\r');
    await shell.says('42\r\n');
    // By a program that runs already: bash may lose the signal for one that it is about to start.
    shell.say(`sh -c 'echo "begun $((6 + 1))"; exec sleep 60'\r`);
    await shell.says('begun 7');
    shell.say('\u0003');
    await shell.says('[exit 130');
    shell.say('%reset\r');
    await shell.says('HEAD is');
    shell.say('ls; false\r');
    await shell.says('[exit 1]');
    // Ctrl-D that is typed ahead ends it once the command has ended.
    shell.say('sleep 0.5; (exit 3)\r\u0004');
    expect(await shell.ended).toBe(3);
  });

  test('R-12 a hook of an agent outside takes a step in a jail, and undo takes it back', async () => {
    await cli.run('exec', '--', 'touch', 'before');
    await cli.run('hook', 'aider', '--sandbox', 'default');
    await cli.run('exec', '--', 'rm', 'before');
    await cli.run('hook', 'aider', '--sandbox', 'default');
    expect(await cli.run('undo')).toMatch(/^Undone: aider\n/);
    expect(await cli.run('exec', '--', 'ls')).toContain('before\n');
  });
});
