import { Ajv } from 'ajv';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Sandbox } from '../../cli/index.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { RecordingEvent } from '../../recording/format/recording-event.ts';
import { readRecording } from '../../recording/read/read-recording.ts';
import { createOpenAiFunctions, type OpenAiFunctions } from '../../sdk/adapters/openai-functions.ts';

let sandbox: Sandbox;
let functions: OpenAiFunctions;
beforeEach(async () => {
  sandbox = await Sandbox.create({ cwd: '/home/user/work' });
  functions = createOpenAiFunctions(sandbox);
});
afterEach(() => sandbox.close());

const call = async (name: string, input: object) =>
  JSON.parse(await functions.call(name, JSON.stringify(input)));

test('S-13 functions have schemas, for chats and for responses', () => {
  const ajv = new Ajv({ strict: true });
  const names = ['run', 'read', 'write', 'edit', 'list', 'snapshot', 'checkout', 'undo'];
  expect(functions.chatTools.map((tool) => tool.function.name)).toEqual(names);
  expect(functions.responseTools.map(({ name }) => name)).toEqual(names);
  for (const { parameters } of functions.responseTools) ajv.compile(parameters);
  const run = ajv.compile(functions.responseTools[0]?.parameters ?? {});
  expect([run({ command: 'ls' }), run({ command: 'ls', timeoutSeconds: 5 }), run({})]).toEqual([
    true,
    true,
    false,
  ]);
});

test('S-13 calls of a chat and of a response are answered in their form', async () => {
  await call('write', { path: 'a', text: 'x = 1\ny = 1\n' });
  const json = JSON.stringify({ path: 'a', old: 'x = 1', new: 'x = 2' });
  const message = await functions.answerChat({ id: 'c1', function: { name: 'edit', arguments: json } });
  expect(message).toEqual({ role: 'tool', tool_call_id: 'c1', content: expect.stringContaining('"line":1') });
  const item = await functions.answerResponse({ call_id: 'c2', name: 'read', arguments: '{"path":"a"}' });
  expect(item).toEqual({
    type: 'function_call_output',
    call_id: 'c2',
    output: JSON.stringify({ text: 'x = 2\ny = 1\n', lines: 2 }),
  });
});

test('S-13 a model goes back and forth: each change is a step, and looking at things is none', async () => {
  const { snapshot: first } = await call('write', { path: 'a', text: '1' });
  await call('run', { command: 'ls; cat a' });
  const { snapshot: second } = await call('run', { command: 'echo 2 > a' });
  await call('write', { path: 'b', text: '' });
  expect(await call('undo', {})).toMatchObject({ snapshot: second });
  expect(await call('undo', {})).toMatchObject({ snapshot: first, previousHead: second });
  expect(await call('checkout', { snapshot: second })).toMatchObject({
    snapshot: second,
    previousHead: first,
  });
  expect(await call('read', { path: 'a' })).toMatchObject({ text: '2\n' });
  expect(await call('undo', {})).toMatchObject({ snapshot: first });
  const { snapshot: named } = await call('snapshot', { label: 'here' });
  expect((await sandbox.history.log())[0]).toMatchObject({ id: expect.stringMatching(`^${named}`) });
  expect(await call('checkout', { snapshot: 'ffff' })).toEqual({
    error: expect.stringMatching(/^not-found: /),
  });
});

test('S-13 nothing that a sandbox has is too much for an answer', async () => {
  await sandbox.run('mkdir many; cd many; touch $(seq 600); ln -s 1 link', { cwd: '/home/user/work' });
  const { entries, more } = await call('list', { path: 'many' });
  expect(entries).toHaveLength(limits.modelEntries);
  expect(more).toBe(601 - limits.modelEntries);
  expect(entries[0]).toBe('1 (0 bytes)');
  const long = 'x'.repeat(250);
  await sandbox.run(`mkdir long; cd long; for i in $(seq 400); do > $((i + 1000))${long}; done`, {
    cwd: '/home/user/work',
  });
  const names = await call('list', { path: 'long' });
  expect(names.entries[0]).toBe(`1001${long} (0 bytes)`);
  expect(names.entries.join('').length).toBeLessThanOrEqual(limits.modelOutputCharacters);
  expect(names.entries.length + names.more).toBe(400);
  const { stdout, changed } = await call('run', {
    command: 'rm many/*; seq 100000 | tee big; head -c 5000000 big > huge',
  });
  expect(stdout.length).toBeLessThan(limits.modelOutputCharacters + 100);
  expect(stdout).toMatch(/^1\n2\n.*left out.*\n100000\n$/s);
  expect(changed).toHaveLength(limits.modelPaths + 1);
  expect(changed.at(-1)).toMatch(/^and \d+ more$/);
  expect((await call('read', { path: 'big', firstLine: 3, lastLine: 4 })).text).toBe('3\n4');
  await sandbox.files.write('/home/user/work/huge', new Uint8Array(limits.modelFileBytes + 1));
  expect(await call('read', { path: 'huge' })).toEqual({
    error: expect.stringMatching(/^limit-exceeded: .*bytes/),
  });
  await sandbox.files.write('/home/user/work/bin', Uint8Array.of(0xff, 0xfe));
  expect(await call('edit', { path: 'bin', old: 'a', new: 'b' })).toEqual({
    error: expect.stringMatching('UTF-8'),
  });
});

test('S-13 a snapshot that fails loses no answer, and undo takes back this step only', async () => {
  await call('write', { path: 'a', text: '1' });
  const create = sandbox.createSnapshot.bind(sandbox);
  const failure = new SandboxError('timeout', 'Cannot take a snapshot: the disk is slow');
  vi.spyOn(sandbox, 'createSnapshot').mockImplementationOnce(create).mockRejectedValueOnce(failure);
  expect(await call('run', { command: 'echo 2 > a; echo out' })).toEqual({
    exitCode: 0,
    stdout: 'out\n',
    stderr: '',
    changed: ['/home/user/work/a'],
    unsaved: failure.message,
  });
  await call('undo', {});
  expect(await call('read', { path: 'a' })).toMatchObject({ text: '1' });
});

test('S-13 undo does not go past a step that there was no room for a snapshot before', async () => {
  await call('write', { path: 'a', text: '1' });
  const full = new SandboxError('storage-full', 'Cannot take a snapshot: no room');
  vi.spyOn(sandbox, 'createSnapshot').mockRejectedValueOnce(full);
  await call('run', { command: 'echo 2 > a' });
  expect(await call('undo', {})).toEqual({
    error:
      'conflict: Cannot undo: there was no room for a snapshot before the last step; name a snapshot to check out',
  });
  expect(await call('read', { path: 'a' })).toMatchObject({ text: '2\n' });
  await call('write', { path: 'a', text: '3' });
  await call('undo', {});
  expect(await call('read', { path: 'a' })).toMatchObject({ text: '2\n' });
});

test('H-8 a call that waits for another is aborted at once', async () => {
  const [stopFirst, stopSecond] = [new AbortController(), new AbortController()];
  const first = functions.call('run', '{"command":"sleep 600"}', { signal: stopFirst.signal });
  const second = functions.call('write', '{"path":"a","text":""}', { signal: stopSecond.signal });
  stopSecond.abort();
  await expect(second).rejects.toMatchObject({ code: 'aborted' });
  stopFirst.abort();
  await expect(first).rejects.toMatchObject({ code: 'aborted' });
  expect(await sandbox.files.exists('/home/user/work/a')).toBe(false);
});

test('S-6 a command that takes too long is ended, and the model is told why', async () => {
  const patient = createOpenAiFunctions(sandbox, { timeoutMs: 3_000 });
  const answer = await patient.call('run', '{"command":"echo on; sleep 600","timeoutSeconds":60}');
  expect(JSON.parse(answer)).toMatchObject({
    exitCode: 137,
    stdout: 'on\n',
    ended: expect.stringMatching('time limit'),
  });
});

test('S-13 a long command of many lines is run, and named in the history in one line', async () => {
  const { snapshot } = await call('run', {
    command: `echo a > a\n# ${'long '.repeat(2_000)}\necho b > b; exit 1`,
  });
  const [step] = await sandbox.history.log();
  expect(step?.id.startsWith(snapshot)).toBe(true);
  expect(await call('undo', {})).toMatchObject({ previousHead: snapshot });
});

test('S-13 wrong calls are answered', async () => {
  expect(await functions.call('format', '{}')).toMatch(/no function of this name; there are run,/);
  expect(await functions.call('run', '{"command":')).toMatch(/not JSON/);
  expect(await call('write', { path: 'a', text: 5 })).toEqual({
    error: 'invalid-argument: Cannot call write: "text" has to be a string',
  });
  await call('write', { path: 'twice', text: 'aa\naa\n' });
  expect(await call('edit', { path: 'twice', old: 'a', new: 'b' })).toEqual({
    error: expect.stringMatching(/occurs in lines 1, 1, 2, 2; give more of it/),
  });
  await sandbox.close();
  await expect(functions.call('run', '{"command":"ls"}')).rejects.toMatchObject({ code: 'connection-lost' });
});

test('S-13 P-1 calls go into a recording of the sandbox, with what they answered and the files after them', async () => {
  const recording = await sandbox.record();
  const reading = eventsOf(recording);
  await call('write', { path: 'a', text: 'one' });
  await call('read', { path: 'none' });
  await recording.stop();
  await call('read', { path: 'a' });
  const events = await reading;
  const calls = events.filter((event) => event.type === 'call');
  expect(calls).toMatchObject([
    { tool: 'write', arguments: { path: 'a', text: 'one' } },
    { tool: 'read', arguments: { path: 'none' } },
  ]);
  const results = events.filter((event) => event.type === 'result');
  expect(results).toMatchObject([{ id: calls[0]?.id }, { id: calls[1]?.id, isError: true }]);
  const head = (await sandbox.history.get()).head;
  expect(results[0]).toMatchObject({ snapshot: head });
});

async function eventsOf(pieces: AsyncIterable<Uint8Array>): Promise<RecordingEvent[]> {
  const events: RecordingEvent[] = [];
  for await (const { event } of (await readRecording(pieces)).events()) events.push(event);
  return events;
}
