import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { digestImports } from './digest-imports.ts';

const modules: Readonly<Record<string, string>> = {
  'entry.ts':
    "import type { T } from './types.ts';\nimport {\n  a,\n} from './a.ts';\nimport './effect.ts';\nexport const b: T = a;\n",
  'a.ts': "export { a } from './deep.ts';\n",
  'deep.ts': "import { entry } from './entry.ts';\nexport const a = () => import('./late.ts');\n",
  'late.ts': 'export {};\n',
  'effect.ts': 'export {};\n',
  'types.ts': 'export type T = unknown;\n',
  'other.ts': 'export {};\n',
};

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'coppice-imports-'));
  for (const name of Object.keys(modules)) await restore(name);
});
afterEach(() => rm(root, { recursive: true }));

function restore(name: string): Promise<void> {
  return writeFile(join(root, name), modules[name] ?? '');
}

test('H-2 the digest changes with every module that runs, and with no other', async () => {
  const digest = () => digestImports(['entry.ts'], { root });
  const before = await digest();
  const changes: string[] = [];
  for (const name of Object.keys(modules)) {
    await writeFile(join(root, name), '// changed\n', { flag: 'a' });
    const after = await digest();
    if (after !== before) changes.push(name);
    await restore(name);
  }
  expect(changes).toEqual(['entry.ts', 'a.ts', 'deep.ts', 'late.ts', 'effect.ts']);
});

test('a module that is not there is an error', async () => {
  await rm(join(root, 'late.ts'));
  await expect(digestImports(['entry.ts'], { root })).rejects.toMatchObject({ code: 'ENOENT' });
});
