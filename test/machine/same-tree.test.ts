import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyIn } from '../../cli/recording/verify-in.ts';
import { openRecording } from '../../recording/read/open-recording.ts';
import type { Sandbox } from '../../sdk/sandbox.ts';
import { MemoryStore } from '../../tree/objects/memory-store.ts';
import { FollowedFile } from '../demos/followed-file.ts';
import { commands, knownFile, knownPath, readWork, runScript, workOfShell } from '../fixtures/same-tree.ts';
import { imageObjects, openSandbox } from './open-sandbox.ts';

const store = new MemoryStore();
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await openSandbox({ store });
});
afterAll(() => sandbox?.[Symbol.asyncDispose]());

test('P-4 a recording of the tab’s machine is verified in it; a planted divergence is found', async () => {
  await using recording = await sandbox.record();
  const file = new FollowedFile(recording);
  await using shell = await sandbox.shell();
  const run = async (command: string) => {
    await shell.run(command);
    await sandbox.history.settle();
    const head = await sandbox.history.head();
    await file.shows(head);
    return head;
  };
  await run('mkdir plot && cd plot && echo beans > plan');
  const planted = await run('echo peas >> plan; date; ls nothing');
  await run('rm plan');
  await sandbox.checkout(planted);
  await run('cat plan');
  await recording.stop();
  const text = Buffer.concat(await file.whole).toString();
  const verify = async (bytes: Uint8Array) => {
    const opened = await openRecording({ read: async (from, to) => bytes.subarray(from, to) });
    const { signal } = new AbortController();
    return verifyIn(sandbox, opened, { all: false, timeoutMs: 120_000, signal });
  };
  expect(await verify(Buffer.from(text))).toMatchObject({
    counts: { exact: 3, minor: 1, major: 0, halt: 0 },
    first: undefined,
  });
  const { first } = await verify(Buffer.from(text.replaceAll('echo peas', 'echo leeks')));
  expect(first?.differences).toContainEqual(
    expect.objectContaining({ level: 'major', what: 'tree', path: '/home/user/plot/plan' }),
  );
});

test(`B-8 H-4 a script gives the same tree in a shell and in the tab's machine (${commands.join(' ')})`, async () => {
  const inShell = await workOfShell();
  const image = await imageObjects();
  const tree = await runScript(sandbox);
  const inMachine = await readWork(async (id) => store.readSync(id) ?? image.read(id), tree);
  expect(inMachine.files[knownPath]).toMatchObject(knownFile);
  expect(inMachine.files).toEqual(inShell.files);
  expect(inMachine.id).toBe(inShell.id);
});
