import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { readDocuments, root } from './documents.ts';

const run = promisify(execFile);
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

test('every npm command that a document names is a script of package.json', () => {
  const unknown = readDocuments().flatMap(({ path, text }) =>
    [...text.matchAll(/\bnpm (?:run ([\w:-]+)|(start|test))\b/g)]
      .map((match) => match[1] ?? match[2] ?? '')
      .flatMap((name) => (name in scripts ? [] : [`${path}: ${name}`])),
  );
  expect(unknown).toEqual([]);
});

describe.each(['start', 'images', 'bridge', 'programs'])('npm run %s', (script) => {
  test('explains itself, and knows every option that a document gives it', async () => {
    const file = /\S+\.ts\b/.exec(scripts[script] ?? '')?.[0] ?? '';
    const { stdout } = await run(process.execPath, [file, '--help'], { cwd: root });
    expect(stdout).toMatch(new RegExp(`^Usage: npm (run )?${script} -- `));
    const named = readDocuments().flatMap(({ text }) => optionsIn(text, script));
    expect(named.filter((option) => !stdout.includes(option) && option !== '--help')).toEqual([]);
  });
});

/** Options and subcommands given to a script, such as `--port` and `build`. */
function optionsIn(text: string, script: string): string[] {
  const calls = text.matchAll(new RegExp(`npm (?:run )?${script} -- ([^\`#\\n]*)`, 'g'));
  return [...calls].flatMap((match) => {
    const words = (match[1] ?? '').trim().split(/\s+/);
    const command = script === 'images' ? words.slice(0, 1) : [];
    return [...command, ...words.filter((word) => word.startsWith('--'))];
  });
}
