import { afterEach, beforeEach, expect, test } from 'vitest';
import type { MachineProcessEvent } from '../../protocol/machine-process.ts';
import type { ExecRequest, ProcessHandle } from '../../protocol/sandbox/processes.ts';
import { TreeFiles } from '../../shell/files/tree-files.ts';
import { createPrograms } from '../../shell/programs/create-programs.ts';
import { decodeText, encodeText } from '../../shell/text.ts';
import { LiveTree } from '../../tree/live/live-tree.ts';
import { firstTree } from './first-tree.ts';
import { ShellProcessStarter } from './process-starter.ts';

let starter: ShellProcessStarter;
beforeEach(() => {
  const tree = new LiveTree();
  tree.restore(firstTree());
  starter = new ShellProcessStarter(new TreeFiles(tree), createPrograms());
});
afterEach(() => starter.close('machine-failed'));

/** What a process tells, in order, as `type:text`; neighbours of one type are one. */
interface Told {
  readonly process: ProcessHandle;
  readonly said: string[];
  /** Resolves once `end` has come as status. */
  until(end: string): Promise<void>;
  readonly exited: Promise<number>;
}

async function start(request: ExecRequest, onEvent?: () => Promise<void>): Promise<Told> {
  const said: string[] = [];
  const exited = Promise.withResolvers<number>();
  let look = () => {};
  const listener = (event: MachineProcessEvent): Promise<void> | undefined => {
    if (event.type === 'exit') {
      exited.resolve(event.exitCode);
      return undefined;
    }
    const [text, last] = [decodeText(event.bytes), said.at(-1)];
    if (last?.startsWith(`${event.type}:`)) said.splice(-1, 1, last + text);
    else said.push(`${event.type}:${text}`);
    look();
    return onEvent?.();
  };
  const process = await starter.start(request, listener, { hasStatus: true });
  const until = (end: string): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    look = () => {
      if (said.some((each) => each.startsWith('status:') && each.includes(end))) resolve();
    };
    look();
    return promise;
  };
  return { process, said, until, exited: exited.promise };
}

const readRun = `read -r -d '' run; eval "$run" 0</dev/null 201>&-; printf '%s;' "$?" >&201\n`;

test('S-3 a shell reads its script line by line, and what a line reads from the same input is not script', async () => {
  const { process, said, until, exited } = await start({ command: ['bash', '-s'], stdin: true });
  const runs = ['cd /tmp; x="a b"; f() { echo "f $1"; }; false', 'pwd; f "$x"; cat; echo no >&2; (exit 7)'];
  await process.write(encodeText(`exec 201>&3 3>&-\n${runs.map((run) => `${readRun}${run}\0`).join('')}`));
  await until('1;');
  await until('7;');
  expect(said).toEqual(['status:1;', 'stdout:/tmp\nf a b\n', 'stderr:no\n', 'status:7;']);
  await process.closeStdin();
  expect(await exited).toBe(0);
});

test('S-3 a shell runs what is there as soon as it is complete, however its input is cut', async () => {
  const { process, said, until } = await start({ command: ['bash', '-s'], stdin: true });
  const write = (text: string) => process.write(encodeText(text));
  for (const character of 'exec 201>&3 3>&-; printf up >&201\n') await write(character);
  await until('up');
  await write('for i in 1 2; do\necho $i\n');
  await write('done; cat <<E\nhere\nE\n');
  await write('printf "first;" >&201\n');
  await until('first;');
  for (const character of `${readRun}echo "a\nb"\0`) await write(character);
  await until('0;');
  expect(said).toEqual(['status:up', 'stdout:1\n2\nhere\n', 'status:first;', 'stdout:a\nb\n', 'status:0;']);
});

test('S-3 what a run starts has no status descriptor', async () => {
  const { process, said, until } = await start({ command: ['bash', '-s'], stdin: true });
  const run = '{ echo forged >&201; echo forged >&3; } 2>/dev/null || echo none; bash -c "echo x >&201" 2>&1';
  await process.write(encodeText(`exec 201>&3 3>&-\n${readRun}${run}\0`));
  await until(';');
  expect(said.join()).toMatch(/^stdout:none\n.*201: Bad file descriptor\n,status:1;$/);
});

test('S-3 status comes after the output before it, whoever wrote that and however slow the client is', async () => {
  const command = 'for i in 1 2 3; do echo $i; bash -c "echo $i | cat >&2"; echo $i >&3; done';
  const { said, exited } = await start({ command: ['bash', '-c', command] }, () => new Promise(setImmediate));
  expect(await exited).toBe(0);
  expect(said).toEqual([1, 2, 3].flatMap((i) => [`stdout:${i}\n`, `stderr:${i}\n`, `status:${i}\n`]));
});

test('S-3 a terminal has no status descriptor', async () => {
  const request = { command: ['bash'], pty: { columns: 80, rows: 24 } };
  await expect(start(request)).rejects.toMatchObject({ code: 'invalid-argument' });
});

test('B-5 a terminal shows newlines as they are written once it is told so', async () => {
  const shown: string[] = [];
  const exited = Promise.withResolvers<void>();
  const command = ['bash', '-c', 'echo a; stty -opost; echo b; stty sane; echo c'];
  await starter.start({ command, pty: { columns: 80, rows: 24 } }, (event) => {
    if (event.type === 'exit') exited.resolve();
    else shown.push(decodeText(event.bytes));
  });
  await exited.promise;
  expect(shown.join('')).toBe('a\r\nb\nc\r\n');
});

test.each([
  ['SIGKILL', { exitCode: 137, reason: 'killed' }],
  ['SIGTERM', { exitCode: 143, reason: 'signalled' }],
] as const)(
  'S-10 what its client ends by %s is told from what ends otherwise, as in a machine',
  async (signal, how) => {
    const ended = Promise.withResolvers<MachineProcessEvent>();
    const process = await starter.start({ command: 'sleep 1000' }, (event) => {
      if (event.type === 'exit') ended.resolve(event);
    });
    await process.kill(signal);
    expect(await ended.promise).toMatchObject(how);
  },
);
