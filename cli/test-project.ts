import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openTestCli, type TestCli, type TestResult } from './test-context.ts';

/** A folder of this host with a history. */
export interface TestProject extends AsyncDisposable {
  readonly folder: string;
  readonly cli: TestCli;
  at(path: string): string;
  /** A command line about its history. */
  run(...args: string[]): Promise<TestResult>;
  /** The same, which has to succeed. */
  ok(...args: string[]): Promise<TestResult>;
}

export async function openProject(
  files: Readonly<Record<string, string>>,
  { place = tmpdir() }: { readonly place?: string } = {},
): Promise<TestProject> {
  const cli = await openTestCli();
  const folder = await mkdtemp(join(place, 'coppice-project-'));
  const at = (path: string) => join(folder, path);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(folder, path, '..'), { recursive: true });
    await writeFile(at(path), text);
  }
  const run = (...args: string[]) => cli.run(...args, '--in-place', folder);
  const ok = async (...args: string[]) => {
    const result = await run(...args);
    if (result.code !== 0) throw new Error(`coppice ${args.join(' ')}: ${result.stderr}`);
    return result;
  };
  await ok('init');
  return {
    ...{ folder, cli, at, run, ok },
    [Symbol.asyncDispose]: async () => {
      await rm(folder, { recursive: true, force: true });
      await cli[Symbol.asyncDispose]();
    },
  };
}
