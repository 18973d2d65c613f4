import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { codeBlocks, readDocuments, root } from './documents.ts';
import { sdkMembers, typeCheck } from './type-check.ts';

/** It imports the SDK, as the page of a visitor does, from where the site has it. */
const example = 'examples/two-ways/main.js';
/** Contracts for who writes a backend, described where they are declared. */
const backendContracts = new Set([
  'ArchivePiece',
  'ArchiveReader',
  'ExecRequest',
  'ProcessHandle',
  'SandboxBackend',
  'SandboxConnection',
  'ErrorData',
]);

test('C-2 every example compiles against the SDK', () => {
  const code = readFileSync(join(root, example), 'utf8');
  const blocks = [{ path: example, language: 'js', line: 1, code }, ...readDocuments().flatMap(codeBlocks)];
  const examples = blocks
    .filter(({ language }) => language === 'ts' || language === 'js')
    .map((block) => ({ ...block, code: block.code.replace(/'[\w./-]*\/coppice\.js'/, "'coppice'") }));
  expect(typeCheck(examples)).toEqual([]);
});

test('C-2 the reference names every member of what the SDK exports', () => {
  const pages = readDocuments().filter(({ path }) => /^docs\/reference\/(sdk\/|errors\.md$)/.test(path));
  const text = pages.map((page) => page.text).join('\n');
  const code = [...text.matchAll(/```.*?```|`[^`\n]+`/gs)].join('\n');
  const missing = [...sdkMembers()].flatMap(([type, members]) =>
    backendContracts.has(type)
      ? []
      : members.flatMap((member) => (new RegExp(`\\b${member}\\b`).test(code) ? [] : [`${type}.${member}`])),
  );
  expect(missing).toEqual([]);
});
