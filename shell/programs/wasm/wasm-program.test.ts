import { expect, test } from 'vitest';
import { LiveTree } from '../../../tree/live/live-tree.ts';
import { TreeFiles } from '../../files/tree-files.ts';
import { nullFile } from '../../io/null-file.ts';
import { encodeText } from '../../text.ts';
import type { ProgramCall } from '../program.ts';
import type { FromProgram, ProgramWorker, ToProgram } from './program-worker.ts';
import { wasmProgram } from './wasm-program.ts';

/** A thread whose program is this test. */
class ScriptedWorker implements ProgramWorker {
  readonly posted: ToProgram[] = [];
  state: 'running' | 'released' | 'terminated' = 'running';
  say: (message: FromProgram) => void = () => {};
  fail: (reason: string) => void = () => {};

  post(message: ToProgram): void {
    this.posted.push(message);
  }
  onMessage(listener: (message: FromProgram) => void): void {
    this.say = listener;
  }
  onFailure(listener: (reason: string) => void): void {
    this.fail = listener;
  }
  terminate(): void {
    this.state = 'terminated';
  }
  release(): void {
    this.state = 'released';
  }
}

function start(changes: Partial<ProgramCall> = {}): {
  worker: ScriptedWorker;
  files: TreeFiles;
  ended: Promise<number>;
} {
  const files = new TreeFiles(new LiveTree());
  const worker = new ScriptedWorker();
  const call: ProgramCall = {
    name: 'jq',
    args: [],
    environment: new Map(),
    cwd: '/',
    uid: 0,
    gid: 0,
    umask: 0o22,
    files,
    stdin: nullFile,
    stdout: nullFile,
    stderr: nullFile,
    signal: new AbortController().signal,
    run: async () => 127,
    processes: { list: () => [], kill: () => false },
    ...changes,
  };
  return { worker, files, ended: wasmProgram('jq', () => worker)(call) };
}

test('a thread whose program has ended serves the next one, and one that was stopped is ended', async () => {
  const first = start();
  first.worker.say({ type: 'end', exitCode: 3 });
  expect(await first.ended).toBe(3);
  expect(first.worker.state).toBe('released');

  const control = new AbortController();
  const second = start({ signal: control.signal });
  control.abort('SIGKILL');
  await expect(second.ended).rejects.toBe('SIGKILL');
  expect(second.worker.state).toBe('terminated');

  const third = start();
  third.worker.fail('no such script');
  await expect(third.ended).rejects.toThrow('no such script');
  expect(third.worker.state).toBe('terminated');
});

test('output that nobody reads ends the program at a limit', async () => {
  const { worker, ended } = start({ stdout: { ...nullFile, write: () => new Promise(() => {}) } });
  for (let count = 0; count < 20; count++) {
    worker.say({ type: 'output', fd: 1, bytes: new Uint8Array(1_000_000) });
  }
  await expect(ended).rejects.toMatchObject({ limit: 'captureBytes' });
  expect(worker.state).toBe('terminated');
});

test('questions are answered in their order, with errors by their names', async () => {
  const { worker, files, ended } = start();
  const bytes = encodeText('new');
  worker.say({ type: 'question', id: 1, question: { type: 'read', path: '/a' } });
  worker.say({
    type: 'question',
    id: 2,
    question: { type: 'change', change: { type: 'write', path: '/a', bytes } },
  });
  worker.say({ type: 'question', id: 3, question: { type: 'read', path: '/a' } });
  const replace = { type: 'replace', path: '/a', bytes, before: null } as const;
  worker.say({ type: 'question', id: 4, question: { type: 'change', change: replace } });
  worker.say({
    type: 'question',
    id: 5,
    question: { type: 'change', change: { ...replace, before: bytes, bytes: new Uint8Array(0) } },
  });
  await expect.poll(() => worker.posted.length).toBe(6);
  expect(worker.posted.slice(1)).toEqual([
    { type: 'failure', id: 1, code: 'ENOENT' },
    { type: 'answer', id: 2, value: null },
    { type: 'answer', id: 3, value: bytes },
    { type: 'failure', id: 4, code: 'EBUSY' },
    { type: 'answer', id: 5, value: null },
  ]);
  expect(files.readFile('/a')).toEqual(new Uint8Array(0));
  worker.say({ type: 'end', exitCode: 0 });
  await ended;
});

test('files for which a copy has no room are in it without their content, those elsewhere first', async () => {
  const { worker, files, ended } = start({ cwd: '/project' });
  files.mkdir('/project', owner);
  for (const path of ['/a1', '/a2', '/project/b1', '/project/b2', '/project/b3']) {
    files.writeFile(path, new Uint8Array(0), owner);
    files.truncate(path, 16_000_000);
  }
  worker.say({ type: 'question', id: 1, question: { type: 'files' } });
  await expect.poll(() => worker.posted.length).toBe(2);
  const answer = worker.posted[1];
  const copied = answer?.type === 'answer' && Array.isArray(answer.value) ? answer.value : [];
  const leftOut = copied.filter(({ leftOutBytes }) => leftOutBytes === 16_000_000);
  expect(copied.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['/', '/a1', '/a2', '/project', '/project/b1', '/project/b2', '/project/b3']),
  );
  expect(leftOut.map(({ path }) => path)).toEqual(['/a2']);
  worker.say({ type: 'end', exitCode: 0 });
  await ended;
});

const owner = { uid: 0, gid: 0, umask: 0o22 };
