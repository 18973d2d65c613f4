import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { inRepository } from '../../host/repository.ts';

/** Makes a sandbox, runs commands one by one, and prints for each which files were loaded for it. */
const program = `
  import { registerHooks } from 'node:module';
  let loaded = [];
  registerHooks({
    load(url, context, next) {
      loaded.push(url);
      return next(url, context);
    },
  });
  const { Sandbox } = await import('./cli/index.ts');
  await using sandbox = await Sandbox.create();
  const steps = [];
  for (const command of JSON.parse(process.argv[1])) {
    const { stdout } = await sandbox.run(command);
    steps.push({ stdout, loaded });
    loaded = [];
  }
  await sandbox.git.branches({ directory: '/home/user/r' });
  console.log(JSON.stringify([...steps, { stdout: '', loaded }]));
`;

const parts = {
  git: /\/sandbox\/git\/library\/library-git\.ts$|\/isomorphic-git\//,
  cat: /\/shell\/programs\/text\/cat\.ts$/,
  others: /\/shell\/programs\/(?:text|files|listing|archives|numbers|checksums)\/(?!cat\.|[\w-]+-programs\.)/,
  bridges: /\/protocol\/wire\/client\//,
};

test('S-1 a first shell loads no program that it does not call, no git, and nothing of bridges', async () => {
  const commands = ['echo hello > f; echo hello', 'cat f', 'git init -q r'];
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '-e', program, JSON.stringify(commands)],
    { cwd: inRepository() },
  );
  const steps: { readonly stdout: string; readonly loaded: readonly string[] }[] = JSON.parse(stdout);
  const has = (step: number) =>
    Object.entries(parts)
      .filter(([, pattern]) => steps[step]?.loaded.some((url) => pattern.test(url)))
      .map(([name]) => name);
  expect(steps.map((step) => step.stdout)).toEqual(['hello\n', 'hello\n', '', '']);
  expect(steps.map((_, step) => has(step))).toEqual([[], ['cat'], expect.any(Array), ['git']]);
});
