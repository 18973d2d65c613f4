import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runText, shellCommand, startOf } from '../../../sandbox/shells/shell-script.ts';
import { joinBytes } from '../../../tree/join-bytes.ts';

const [bash = '', ...args] = shellCommand;

/** What bash prints for commands, each of which a shell of a sandbox has it run. */
function runAll(commands: readonly string[]): string {
  const start = startOf({ cwd: '/', script: 'set -o history', history: [], lost: [] }, { mostBytes: 9_999 });
  const runs = commands.map((command, index) =>
    runText({ number: index + 1, command, stdin: undefined, status: 0 }),
  );
  const texts = [start.text, ...runs];
  const input = joinBytes(
    texts,
    texts.reduce((sum, { length }) => sum + length, 0),
  );
  const { stdout } = spawnSync(bash, args, {
    input,
    env: { ...start.envs, PATH: '/usr/bin:/bin' },
    stdio: ['pipe', 'pipe', 'ignore', 'ignore'],
  });
  return String(stdout);
}

test.skipIf(!existsSync(bash))(
  `S-3 the history of a jail's shell has what was run in it, and no line of ours${existsSync(bash) ? '' : ` (${bash} is missing)`}`,
  () => {
    const said = runAll(['echo a', 'set -e; history', 'false || :', 'HISTCONTROL=ignoreboth; history 9']);
    expect(said).not.toContain('__coppice');
    expect(said.split('\n').map((line) => line.trim())).toEqual([
      ...['a', '1  echo a', '2  set -e; history', '1  echo a', '2  set -e; history', '3  false || :'],
      ...['4  HISTCONTROL=ignoreboth; history 9', ''],
    ]);
  },
);
