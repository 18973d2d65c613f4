import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { folderCircles, moduleCircles, readImports, readIncludes } from './find-circles.ts';

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

function writeFiles(files: Readonly<Record<string, readonly string[]>>): string {
  const root = mkdtempSync(join(tmpdir(), 'coppice-imports-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [file, lines] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), lines.join('\n'));
  }
  return root;
}

test('every kind of import is read, over several lines and of types', () => {
  const file = 'x/y/a.ts';
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
  const root = writeFiles({ [file]: lines });
  expect(readImports(root, [file]).get(file)).toEqual(['x/y/b.ts', 'x/c.ts', 'd.ts', 'x/y/e.ts', 'x/y/f.ts']);
});

describe('the includes of C', () => {
  const read = (files: Readonly<Record<string, readonly string[]>>) =>
    readIncludes(writeFiles(files), Object.keys(files));

  test('are read of headers and sources, and not those of the system', () => {
    const files = {
      'x/a.h': ['#pragma once', '#include "b.h"'],
      'x/a.c': ['#include "a.h"', '#include <stdio.h>', '# include "../y/c.h"', '/* #include "d.h" */'],
    };
    expect(read(files)).toEqual(new Map([['x/a', ['x/b', 'y/c']]]));
  });

  test('are those of one module where several sources implement a header', () => {
    const files = {
      'x/a.h': [],
      'x/a-one.c': ['#include "a.h"', '#include "a-two.h"'],
      'x/a-two.h': [],
      'x/a-two.c': ['#include "a.h"'],
      'x/a-two-more.c': ['#include "a-two.h"'],
      'x/alone-too.c': ['#include "a.h"'],
    };
    const includes = read(files);
    expect(includes).toEqual(importsOf({ 'x/a': ['x/a-two'], 'x/a-two': ['x/a'], 'x/alone-too': ['x/a'] }));
    expect(moduleCircles(includes)).toMatchObject([{ members: ['x/a', 'x/a-two'] }]);
  });

  test('make no circle between a header and its sources', () => {
    const files = { 'x/a.h': [], 'x/a.c': ['#include "a.h"'], 'x/a-part.c': ['#include "a.h"'] };
    expect(moduleCircles(read(files))).toEqual([]);
  });
});
