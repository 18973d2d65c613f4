import { expect, test } from 'vitest';
import { importBytes, importFixture, linesOf } from '../../test/fixtures/transcripts.ts';
import { importLimits } from './limits.ts';

const claude = '5f1c0a52-7c1e-4b7a-9d7e-0c8b4a1e2f30';
const codex = 'rollout-2026-11-20T10-00-00-0198c0de-0000-7000-8000-000000000001.jsonl';

test('C-8 a session of Claude Code comes in as a tree, with its long output, its sub-agent in between, and lines that nobody knows', async () => {
  const session = await importFixture(`claude-code/${claude}.jsonl`, `claude-code/${claude}`);
  expect(session.format).toBe('claude-code');
  expect(session.header).toEqual({
    columns: 100,
    rows: 30,
    beginMs: Date.parse('2026-11-20T10:00:00Z'),
    title: 'Repair the failing test',
    coppice: {
      recording: 1,
      generator: 'test',
      source: 'claude-code',
      omitted: ['Images in messages are not imported'],
    },
    rest: { session: { agent: 'claude-code 2.1.230', cwd: '/home/dev/app' } },
  });
  expect(await linesOf(session)).toEqual([
    '0 foreign summary',
    '0 foreign file-history-snapshot',
    '0 user: The test fails. Repair it.',
    '2 thinking: Run it first. (a1 > a2)',
    '3 assistant: I run the **test**. (a2 > a3)',
    '3.5 call Bash {"command":"npm test","description":"Run the tests"}',
    '3.5 command 1 on 1: npm test',
    '3.5 1> "$ npm test\\r\\n"',
    '6 1> "1 failing\\r\\n"',
    '6 command 1 ended 1 after 2500',
    '6 result "Exit code 1\\n1 failing" failed',
    '8 call Edit {"file_path":"/home/dev/app/add.js","old_string":"a - b","new_string":"a + b"}',
    '8 call Task {"description":"Look for the same mistake","prompt":"Search","subagent_type":"Explore"}',
    '8.5 terminal 2: Look for the same mistake',
    '8.5 system: Search (a3 > b1)',
    '9 result "The file was updated."',
    '10 call Bash {"command":"grep -rn \'a - b\' ."}',
    "10 command 2 on 2: grep -rn 'a - b' .",
    '10 2> "$ grep -rn \'a - b\' .\\r\\n"',
    '11 command 2 ended 1 after 1000',
    '11 result "Exit code 1" failed',
    '12 result "No other place has it."',
    '13 call Bash {"command":"npm test"}',
    '13 command 3 on 1: npm test',
    '13 1> "$ npm test\\r\\n"',
    '13 call Bash {"command":"git diff --stat"}',
    '13.5 result " add.js | 2 +-"',
    '15 1> "1 passing\\r\\n(of a long output)\\r\\n"',
    '15 command 3 ended 0 after 2000',
    '15 command 4 on 1: git diff --stat',
    '15 1> "$ git diff --stat\\r\\n"',
    '15 1> " add.js | 2 +-\\r\\n"',
    '15 command 4 ended 0 after 500',
    '15 result "<persisted-output>\\nOutput too large. Preview: 1 passing\\n</persisted-output>"',
    '15 foreign brand-new-line',
    '16 assistant: It passes now. (a3 > a12)',
    '20 user: Show me <command-name>/clear</command-name><local-command-stdout>forged</local-command-stdout> (a12 > a13)',
    '20 end 0',
  ]);
});

test('C-8 a rollout of Codex comes in with each result once, and only what a person typed as theirs', async () => {
  const session = await importFixture(`codex/${codex}`, 'codex');
  expect(session.header.rest).toEqual({
    session: { agent: 'codex 0.149.0', model: 'gpt-6-codex', cwd: '/home/dev/app' },
  });
  expect(await linesOf(session)).toEqual([
    '0 foreign session_meta',
    '0.1 system: <permissions instructions>workspace-write</permissions instructions>',
    '0.1 system: <environment_context>\n  <cwd>/home/dev/app</cwd>\n</environment_context>',
    '0.2 foreign event_msg',
    '0.3 foreign turn_context',
    '1 user: Make the test pass',
    '2 thinking: **Running the tests**',
    '3 call exec_command {"cmd":"npm test","workdir":"/home/dev/app"}',
    '3 command 1 on 1: npm test',
    '3 1> "$ npm test\\r\\n"',
    '5 1> "1 failing\\r\\n"',
    '5 command 1 ended 1 after 1500',
    '5 result {"output":"1 failing\\n","exitCode":1} failed',
    '5.2 foreign event_msg',
    '7 call apply_patch {"input":"*** Begin Patch\\n*** Update File: add.js\\n@@\\n-a - b\\n+a + b\\n*** End Patch"}',
    '7.5 result "Success. Updated the following files:\\nM add.js\\n"',
    '8 call exec_command {"cmd":["bash","-lc","npm test"]}',
    '8 command 2 on 1: npm test',
    '8 1> "$ npm test\\r\\n"',
    '9 1> "1 passing\\r\\n"',
    '9 command 2 ended 0 after 750',
    '9 result "Chunk ID: 9db1e8\\nWall time: 0.7500 seconds\\nProcess exited with code 0\\nOriginal token count: 3\\nOutput:\\n1 passing\\n"',
    '10 assistant: It passes now.',
    '10.1 foreign event_msg',
    '10.1 foreign {"timestamp":"2026-11-20T10:00:10.2',
    '10.1 end 0',
  ]);
});

test('C-8 a trajectory comes in with its sub-agent and the snapshots that Coppice wrote into it', async () => {
  const session = await importFixture('atif/trajectory.json', 'atif');
  expect(session.header.rest).toEqual({ session: { agent: 'terminus-2 2.0.0', model: 'model-a' } });
  expect(await linesOf(session)).toEqual([
    '0 user: Count the files',
    '2 thinking: ls is enough.',
    '2 assistant: I list them.',
    '2 call bash {"command":"ls"} @11',
    '2 command 1 on 1: ls',
    '2 1> "$ ls\\r\\n"',
    '2 call delegate {"task":"count"}',
    '2 1> "a\\r\\nb\\r\\n"',
    '2 command 1 ended 0 after 0',
    '2 result "a\\nb\\n" @22',
    '2 terminal 2: counter',
    '3 assistant: They are two.',
    '3 result "2"',
    '5 assistant: Two.',
    '5 end 0',
  ]);
});

test('C-8 an Orca trace comes in with its blobs, but none that is not what its name says', async () => {
  const session = await importFixture('orca/events.jsonl', 'orca');
  expect(session.header.command).toBe('claude');
  expect(await linesOf(session)).toEqual([
    '0 foreign run.start',
    '1 user: Run the test',
    '1 foreign model.request',
    '2 assistant: I run it.',
    '2 foreign model.response',
    '2.1 call read_file {"path":"add.js"}',
    '2.2 result "export const add = (a, b) => a + b;\\n"',
    '3 call shell {"argv":["npm","test"],"cwd":"/home/dev/app"}',
    '3 command 1 on 1: npm test',
    '3 1> "$ npm test\\r\\n"',
    '5 1> "1 passing\\r\\n"',
    '5 command 1 ended 0 after 2000',
    '5 result "1 passing\\n"',
    '6 call shell {"argv":["true"]}',
    '6 command 2 on 1: true',
    '6 1> "$ true\\r\\n"',
    '6.5 {"type":"note","text":"The blob 0000000000000000000000000000000000000000000000000000000000000000 was left out: it is damaged"}',
    '6.5 command 2 ended 0 after 5',
    '6.5 result {"exit_code":0,"duration_ms":5}',
    '7 foreign fs.snapshot',
    '8 foreign from.a.newer.version',
    '9 foreign run.end',
    '9 end 0',
  ]);
});

/** A line of Claude Code. */
function said(type: 'user' | 'assistant', content: unknown, more: object = {}): string {
  const timestamp = '2026-11-20T10:00:00.000Z';
  return `${JSON.stringify({ type, parentUuid: null, timestamp, message: { role: type, content }, ...more })}\n`;
}

test('H-9 a session names no file outside of its folder, and what is too long or too deep is told and left out', async () => {
  const asked: string[] = [];
  const bash = (id: string) =>
    said('assistant', [{ type: 'tool_use', id, name: 'Bash', input: { command: 'x' } }]);
  const result = (id: string, persistedOutputPath: string) =>
    said('user', [{ type: 'tool_result', tool_use_id: id, content: 'shown' }], {
      toolUseResult: { stdout: 'shown', persistedOutputPath, agentId: '../../etc/passwd' },
    });
  const text = [
    bash('a'),
    result('a', '/etc/../../passwd'),
    bash('b'),
    result('b', 'C:\\\\..\\\\..'),
    `${'['.repeat(100)}${']'.repeat(100)}\n`,
    said('user', 'x'.repeat(importLimits.lineBytes)),
    said('assistant', 'the end'),
  ].join('');
  const session = await importBytes(text, async (path) => {
    asked.push(path);
    return undefined;
  });
  const lines = await linesOf(session);
  expect(asked).toEqual(['tool-results/passwd']);
  expect(lines.filter((line) => /foreign|note|assistant/.test(line))).toEqual([
    `0 foreign ${'['.repeat(100)}${']'.repeat(100)}`,
    '0 {"type":"note","text":"Line 6 was left out: it is too long"}',
    '0 assistant: the end',
  ]);
});

test('H-9 what an agent typed controls no terminal, and members of objects that are no data are not taken', async () => {
  const command = 'printf "\u001b]52;c;x\u0007"\necho 2';
  const text = [
    said('assistant', [{ type: 'tool_use', id: '__proto__', name: 'Bash', input: { command } }]),
    said('user', [{ type: 'tool_result', tool_use_id: '__proto__', content: 'done' }], {
      toolUseResult: { __proto__: { stdout: 'inherited' } },
    }),
    '{"type":"user","__proto__":{"message":{"content":"inherited"}}}\n',
  ].join('');
  expect((await linesOf(await importBytes(text))).slice(2)).toEqual([
    '0 1> "$ printf \\"^[]52;c;x^G\\"\\r\\n> echo 2\\r\\n"',
    '0 1> "done\\r\\n"',
    '0 command 1 ended 0 after 0',
    '0 result "done"',
    '0 foreign user',
    '0 end 0',
  ]);
});

test('C-8 an account of a result that comes before the result itself is dropped too, and so are texts that only look typed', async () => {
  const line = (type: string, payload: object) =>
    `${JSON.stringify({ timestamp: '2026-11-20T10:00:00.000Z', type, payload })}\n`;
  const message = (text: string) => ({
    type: 'message',
    role: 'user',
    content: [{ type: 'input_text', text }],
  });
  const text = [
    line('event_msg', { type: 'user_message', message: 'go' }),
    line('response_item', message('go')),
    line('response_item', message('go')),
    line('response_item', {
      type: 'function_call',
      name: 'shell',
      call_id: 'c',
      arguments: '{"command":["ls"]}',
    }),
    line('response_item', { type: 'function_call_output', call_id: 'c', output: 'mirror' }),
    line('event_msg', { type: 'exec_command_end', call_id: 'c', aggregated_output: 'real', exit_code: 3 }),
  ].join('');
  expect(await linesOf(await importBytes(text, undefined, 7))).toEqual([
    '0 user: go',
    '0 system: go',
    '0 call shell {"command":["ls"]}',
    '0 command 1 on 1: ls',
    '0 1> "$ ls\\r\\n"',
    '0 1> "real\\r\\n"',
    '0 command 1 ended 3 after 0',
    '0 result {"output":"real","exitCode":3} failed',
    '0 end 0',
  ]);
});

test('C-8 a file is told from its content, and what is none is refused with a sentence', async () => {
  const of = async (text: string) => (await importBytes(text)).format;
  expect(await of('{"version":2,"width":80,"height":24}\n')).toBe('recording');
  expect(await of('{"version":3,"term":{"cols":80,"rows":24}}\n')).toBe('recording');
  expect(await of('{\n "agent": {},\n "schema_version": "ATIF-v1.3", "steps": []}')).toBe('atif');
  for (const text of ['', 'hello', '{}', '[1]', '{"schema_version":"ATIF-v2.0"}'])
    await expect(of(text)).rejects.toMatchObject({ code: 'invalid-argument' });
});
