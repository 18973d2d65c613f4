import { afterEach, beforeEach, expect, test } from 'vitest';
import { Sandbox } from '../../cli/index.ts';
import { anthropicThatCalls } from '../../examples/agents/mock-anthropic.ts';
import { type AnthropicTools, createAnthropicTools } from '../../sdk/adapters/anthropic-tools.ts';

let sandbox: Sandbox;
let tools: AnthropicTools;
beforeEach(async () => {
  sandbox = await Sandbox.create();
  tools = createAnthropicTools(sandbox);
});
afterEach(() => sandbox.close());

const editor = 'str_replace_based_edit_tool';
const id = '[0-9a-f]{12}';

async function answers(...calls: readonly { name: string; input: object }[]) {
  const { client, results } = anthropicThatCalls(...calls);
  await client.beta.messages
    .toolRunner({
      model: 'claude-test',
      max_tokens: 100,
      messages: [{ role: 'user', content: 'Go on.' }],
      tools: [tools.bash, tools.textEditor, tools.memory, ...tools.history],
    })
    .runUntilDone();
  return results;
}

test('S-13 the bash tool says what came out, how it ended and which snapshot followed', async () => {
  const [first, second, third] = await answers(
    { name: 'bash', input: { command: 'echo out; echo err >&2; touch made; exit 3' } },
    { name: 'bash', input: { restart: true } },
    { name: 'bash', input: {} },
  );
  expect(first).toEqual({
    content: expect.stringMatching(new RegExp(`^out\nerr\n\\[exit code 3; snapshot ${id}\\]$`)),
    is_error: false,
  });
  expect(second).toEqual({ content: expect.stringMatching(/restarted/), is_error: false });
  expect(third).toEqual({ content: expect.stringMatching(/"command" has to be a string/), is_error: true });
});

test('S-13 the shell goes on from call to call, goes back with an undo, and begins anew when it is told to', async () => {
  const results = await answers(
    { name: 'bash', input: { command: 'mkdir sub; cd sub; export A=1; f() { echo "f $A"; }' } },
    { name: 'bash', input: { command: 'pwd; f; A=2; touch file' } },
    { name: 'undo', input: {} },
    { name: 'bash', input: { command: 'pwd; f; ls' } },
    { name: 'bash', input: { restart: true } },
    { name: 'bash', input: { command: 'pwd; f' } },
  );
  const texts = results.map(({ content }) => content);
  expect(texts[1]).toMatch(/^\/home\/user\/sub\nf 1\n\[exit code 0/);
  expect(texts[3]).toMatch(/^\/home\/user\/sub\nf 1\n\[exit code 0/);
  expect(texts[5]).toMatch(/^\/home\/user\n.*f: command not found\n\[exit code 127/);
  expect(await sandbox.shells()).toHaveLength(1);
  await tools.bash.close?.();
  expect(await sandbox.shells()).toEqual([]);
});

test('S-13 the text editor creates, shows, replaces and inserts; undo takes it back', async () => {
  const path = '/home/user/src/a.txt';
  const [create, view, replace, insert, list, undo] = await answers(
    { name: editor, input: { command: 'create', path, file_text: 'one\ntwo\nthree\nfour\n' } },
    { name: editor, input: { command: 'view', path, view_range: [2, 3] } },
    { name: editor, input: { command: 'str_replace', path, old_str: 'two', new_str: '$& 2' } },
    { name: editor, input: { command: 'insert', path, insert_line: 0, insert_text: 'zero\n' } },
    { name: editor, input: { command: 'view', path: '/home/user' } },
    { name: 'undo', input: {} },
  );
  expect(create?.content).toMatch(
    new RegExp(`^File created successfully at: ${path}\n\\[snapshot ${id}\\]$`),
  );
  expect(view?.content).toBe(`Here's the content of ${path} with line numbers:\n     2\ttwo\n     3\tthree`);
  expect(replace?.content).toMatch('     1\tone\n     2\t$& 2\n     3\tthree');
  expect(insert?.is_error).toBe(false);
  expect(list?.content).toMatch('-\t/home/user/src/\n25\t/home/user/src/a.txt');
  expect(undo?.content).toMatch(new RegExp(`^\\{"snapshot":"${id}","previousHead":"${id}"\\}$`));
  expect(await sandbox.files.read(path)).toBe('one\n$& 2\nthree\nfour\n');
});

test('S-13 what cannot be edited is an error that says how', async () => {
  const path = '/home/user/a';
  await sandbox.files.write(path, 'x\nx\n');
  const results = await answers(
    { name: editor, input: { command: 'str_replace', path, old_str: 'x', new_str: 'y' } },
    { name: editor, input: { command: 'str_replace', path, old_str: 'z', new_str: 'y' } },
    { name: editor, input: { command: 'insert', path, insert_line: 9, insert_text: '' } },
    { name: editor, input: { command: 'create', path } },
    { name: editor, input: { command: 'view', path: 'none' } },
    { name: editor, input: { command: 'format', path } },
    { name: 'checkout', input: { snapshot: 'dead' } },
  );
  const texts = results.map(({ content }) => content);
  expect(texts[0]).toMatch('occurs in lines 1, 2; give more of it');
  expect(texts[1]).toMatch('does not occur in it');
  expect(texts[2]).toMatch('it has 3 lines, and no line 9');
  expect(texts[3]).toMatch('"file_text" has to be a string');
  expect(texts[4]).toMatch('none');
  expect(texts[5]).toMatch('no command of this tool');
  expect(results.slice(0, 6).every((result) => result.is_error)).toBe(true);
  expect(texts[6]).toMatch('not-found');
});

test('S-13 memories are files of the sandbox, and nothing outside of them is reached', async () => {
  const memory = (input: object) => ({ name: 'memory', input });
  const results = await answers(
    memory({ command: 'create', path: '/memories/notes/a.md', file_text: 'likes tea\n' }),
    memory({ command: 'view', path: '/memories' }),
    memory({ command: 'rename', old_path: '/memories/notes', new_path: '/memories/old/notes' }),
    memory({ command: 'view', path: '/memories/../../etc/passwd' }),
    memory({ command: 'view', path: '/etc/passwd' }),
    memory({ command: 'delete', path: '/memories/old' }),
    memory({ command: 'create', path: '/memories/b.md', file_text: '' }),
    memory({ command: 'delete', path: '/memories/' }),
    memory({ command: 'delete', path: '/memories/.' }),
    memory({ command: 'rename', old_path: '/memories//./', new_path: '/memories/old' }),
  );
  expect(results.map(({ is_error }) => is_error)).toEqual(
    [false, false, false, true, true, false, false, true, true, true], // The directory itself stays.
  );
  expect(results[1]?.content).toMatch('-\t/memories/notes/\n10\t/memories/notes/a.md');
  expect(results[3]?.content).toMatch('memories are below /memories');
  expect(await sandbox.files.list('/home/user/memories')).toMatchObject([{ name: 'b.md' }]);
});
