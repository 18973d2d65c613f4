import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { root } from './documents.ts';

/** What each example prints has to match; ids of snapshots are written `ID`. */
const printed: Readonly<Record<string, RegExp>> = {
  'ai-sdk-tools':
    /^write .*\nrun .*"stdout":"1\\n2\\n3\\n".*\nundo .*\nread {"text":"3\\n1\\n2\\n","lines":3}\n$/,
  'ai-sdk-session': /^{ exitCode: 0, stdout: '2\\n', stderr: '', snapshot: 'ID' }\n$/,
  'ai-sdk-harness': /^set up: set\n0\n$/,
  'bash-tool': /"snapshot":"ID".*\nundo .*\nreadFile {"content":"coppice: to cut back/,
  'openai-agents':
    /Process exited with code 0\nOutput:\n2\n.*Output:\n1\n2\n.*There are two, and they are still there/s,
  'anthropic-tools': /^1\n\[exit code 0; snapshot ID\]\n.* {5}1\t2\n.*\n2\n\[exit code 0; snapshot ID\]\n$/s,
  'openai-functions':
    /^run read .*\n1 {"exitCode":0.*"snapshot":"ID"}\n2 {"snapshot":"ID","previousHead":"ID"}\n3 {"entries":\[\]}\n$/,
};
const outputs = new Map<string, string>();

/** These import an adapter and not the SDK, so each has a process of its own: the SDK in another's would hide what is missing. */
const alone = ['ai-sdk-harness', 'openai-agents'];

/** One process runs the others, as loading the packages takes longest. */
beforeAll(async () => {
  const together = Object.keys(printed).filter((name) => !alone.includes(name));
  await Promise.all([runExamples(together), ...alone.map((name) => runExamples([name]))]);
});

async function runExamples(names: readonly string[]): Promise<void> {
  const program = `
    for (const name of ${JSON.stringify(names)}) {
      console.log('\\0' + name);
      await import('./examples/agents/' + name + '.ts');
    }`;
  const args = ['--input-type=module', '-e', program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root });
  for (const part of stdout.split('\0').slice(1)) {
    const end = part.indexOf('\n');
    outputs.set(part.slice(0, end), part.slice(end + 1).replace(/\b[0-9a-f]{12}\b/g, 'ID'));
  }
}

test.each(Object.entries(printed))('S-13 the example %s does what it says', (name, pattern) => {
  expect(outputs.get(name)).toMatch(pattern);
});

test('S-13 every example is run', () => {
  const files = globSync('*.ts', { cwd: join(root, 'examples/agents') });
  const examples = files.filter((file) => !file.startsWith('mock-')).map((file) => file.replace('.ts', ''));
  expect(examples.sort()).toEqual(Object.keys(printed).sort());
});
