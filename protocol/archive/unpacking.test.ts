import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { connectionDouble } from '../../test/fixtures/connection-double.ts';
import { tarOf } from '../../test/fixtures/hostile-tars.ts';
import type { ProcessesFacet, ProcessHandle } from '../sandbox/processes.ts';
import { unpackScript } from './unpack-script.ts';
import { Unpacking } from './unpacking.ts';

test('H-8 one that is given up is told again, where what it just started has missed it', async () => {
  const told: (string | undefined)[] = [];
  let end: () => void = () => {};
  const process: Partial<ProcessHandle> = {
    write: async () => undefined,
    kill: async (signal) => {
      told.push(signal);
      if (told.length === 3) end();
    },
  };
  const exec: ProcessesFacet['exec'] = async (_request, listener) => {
    end = () => void listener({ type: 'exit', exitCode: 143, reason: 'exited' } as never);
    return process as ProcessHandle;
  };
  const unpacking = await Unpacking.start(connectionDouble({ processes: { exec } }), '/tmp');
  await unpacking.giveUp();
  expect(told).toEqual(['SIGTERM', 'SIGTERM', 'SIGTERM']);
});

test.each([
  { exitCode: 137, reason: 'exited', code: 'machine-failed' },
  { exitCode: 125, reason: 'exited', code: 'machine-failed' },
  { exitCode: 137, reason: 'signalled', code: 'machine-failed' },
  { exitCode: 2, reason: 'exited', code: 'invalid-argument' },
])(
  'an archive is to blame only where nothing was killed: $reason with $exitCode',
  async ({ code, ...exit }) => {
    let end: () => void = () => {};
    const process: Partial<ProcessHandle> = { write: async () => undefined, closeStdin: async () => end() };
    const exec: ProcessesFacet['exec'] = async (_request, listener) => {
      end = () => void listener({ type: 'exit', ...exit } as never);
      return process as ProcessHandle;
    };
    const unpacking = await Unpacking.start(connectionDouble({ processes: { exec } }), '/tmp');
    expect(await unpacking.finish()).toMatchObject({ code });
  },
);

test('H-8 one that is told to end again and again clears away what it has made', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'coppice-unpacking-'));
  const files = Array.from({ length: 2_000 }, (_, index) => ({ path: `file-${index}` }));
  const bash = spawn('/bin/bash', ['-s', '--', folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  bash.stdin.on('error', () => undefined);
  bash.stdin.write(unpackScript);
  bash.stdin.write(tarOf(...files).subarray(0, -1_024));
  const made = async () => {
    const [stage] = await readdir(folder);
    return stage ? (await readdir(join(folder, stage)).catch(() => [])).length : 0;
  };
  await expect.poll(made).toBeGreaterThan(1_900);
  const ended = once(bash, 'exit');
  const { pid } = bash;
  if (pid === undefined) throw new Error('bash did not start');
  const telling = setInterval(() => process.kill(-pid, 'SIGTERM'), 1);
  bash.once('exit', () => clearInterval(telling));
  expect((await ended)[0]).toBe(143);
  expect(await readdir(folder)).toEqual([]);
  await rm(folder, { recursive: true });
});
