import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folderCircles, moduleCircles, readImports } from './find-circles.ts';

const importsOf = (edges: Record<string, readonly string[]>) => new Map(Object.entries(edges));

describe('circles', () => {
  test('of modules are found, by way of others too', () => {
    const imports = importsOf({ 'a.ts': ['b.ts'], 'b.ts': ['c.ts'], 'c.ts': ['a.ts'], 'd.ts': ['a.ts'] });
    expect(moduleCircles(imports)).toEqual([
      { members: ['a.ts', 'b.ts', 'c.ts'], imports: ['a.ts → b.ts', 'b.ts → c.ts', 'c.ts → a.ts'] },
    ]);
  });

  test('of folders are found where no module is in one', () => {
    const imports = importsOf({ 'x/a.ts': ['y/b.ts'], 'y/c.ts': ['x/d.ts'], 'x/d.ts': [], 'y/b.ts': [] });
    expect(moduleCircles(imports)).toEqual([]);
    expect(folderCircles(imports)).toMatchObject([{ members: ['x', 'y'] }]);
  });

  test('are none between a folder and those inside it', () => {
    expect(folderCircles(importsOf({ 'x/a.ts': ['x/y/b.ts'], 'x/y/b.ts': ['x/c.ts'] }))).toEqual([]);
  });

  test('are none where every import leads on', () => {
    const imports = importsOf({ 'x/a.ts': ['y/b.ts', 'z/c.ts'], 'y/b.ts': ['z/c.ts'] });
    expect([...moduleCircles(imports), ...folderCircles(imports)]).toEqual([]);
  });
});

test('every kind of import is read, over several lines and of types', () => {
  const root = mkdtempSync(join(tmpdir(), 'coppice-imports-'));
  const file = 'x/y/a.ts';
  mkdirSync(dirname(join(root, file)), { recursive: true });
  const lines = [
    "import { readFile } from 'node:fs';",
    "import type { B } from './b.ts';",
    'import {',
    '  c,',
    "} from '../c.ts';",
    "export type * from '../../d.ts';",
    "import './e.ts';",
    "const f = await import('./f.ts');",
  ];
  writeFileSync(join(root, file), lines.join('\n'));
  expect(readImports(root, [file]).get(file)).toEqual(['x/y/b.ts', 'x/c.ts', 'd.ts', 'x/y/e.ts', 'x/y/f.ts']);
  rmSync(root, { recursive: true });
});
