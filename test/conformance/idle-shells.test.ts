import { expect, test } from 'vitest';
import { BashProcess } from '../../sandbox/shells/bash-process.ts';
import { shellCommand } from '../../sandbox/shells/shell-script.ts';
import { newState, type ShellState } from '../../sandbox/shells/shell-state.ts';
import { hostProcesses } from '../fixtures/host-processes.ts';

/** A bash of this host that has run a command. */
async function bashAfter(command: string, state: ShellState = newState({})): Promise<BashProcess> {
  const request = { command: shellCommand, stdin: true };
  const bash = await BashProcess.start({ processes: hostProcesses, request, state });
  const end = await bash.run({ command, stdin: undefined, status: 0 }, () => {});
  if (end.type !== 'report') throw new Error('It has ended');
  return bash;
}

test.each([
  'cd /; A=1; f() { :; }; alias x=y; set -e; shopt -s nullglob failglob',
  'set -ux; cat /etc/hostname | cat >/dev/null; x=$(echo y)',
])('S-3 a bash has nothing but its state after: %s', async (command) => {
  const bash = await bashAfter(command);
  expect(await bash.isBare()).toBe(true);
  // It has only been looked at.
  const end = await bash.run({ command: '[ -z "$*" ]', stdin: undefined, status: 0 }, () => {});
  expect(end).toMatchObject({ type: 'report', report: { status: 0 } });
  await bash.endInput();
  await expect.poll(() => bash.hasEnded).toBe(true);
});

test.each([
  'exec 5</dev/null',
  'exec {own}>/dev/null',
  'exec >/dev/null',
  'set -- argument',
  'pushd /',
  'trap : EXIT',
  'sleep 9 & disown; sleep 9 &',
])('S-3 a bash has more than its state after: %s', async (command) => {
  const bash = await bashAfter(command);
  expect(await bash.isBare()).toBe(false);
  await bash.kill();
});

test('S-3 a bash goes on from a state that its environment has, and from one that is too large for that, or no text', async () => {
  const broken = await bashAfter('true', {
    cwd: '/',
    script: 'f () \n{ \n  ((( \n}\n',
    history: [],
    lost: [],
  });
  await broken.kill();
  const quotes = `it's "\${A}" é`;
  for (const own of ['', `x='${'x'.repeat(100_000)}'\n`, "x=$'\\xff' # \xff\n"]) {
    const script = `${own}say() { echo "said $1"; }\nA=1\n`;
    const bash = await bashAfter('true', { cwd: '/usr', script, history: [quotes, 'two'], lost: [] });
    let said = '';
    const ask = 'pwd; say it; history | head -2; env | grep -c __coppice; set | grep __coppice';
    await bash.run({ command: ask, stdin: undefined, status: 0 }, (event) => {
      if (event.type === 'stdout') said += new TextDecoder().decode(event.bytes);
    });
    expect(said).toBe(`/usr\nsaid it\n    1  ${quotes}\n    2  two\n0\n`);
    await bash.kill();
  }
});
