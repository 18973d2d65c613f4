import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readDocument, root } from './documents.ts';

const citing =
  '{docs,protocol,tree,sandbox,sdk,web,runtimes,bridge-server,images,guest,wasm,test}/**/*.{ts,c,h,md}';
const specId = /\b(?:OB|SN|MI|IP|WP)-\d+\b/g;

test('SPEC.md has each of its ids once, and every id that is cited', () => {
  const defined = [...readDocument('protocol/SPEC.md').text.matchAll(/^- \*\*([A-Z]+-\d+)\*\*/gm)].map(
    ([, id = '']) => id,
  );
  expect(defined).toEqual([...new Set(defined)]);
  const unknown = globSync(citing, { cwd: root, exclude: (name) => name === 'node_modules' }).flatMap(
    (path) => {
      const cited = readFileSync(join(root, path), 'utf8').match(specId) ?? [];
      return cited.flatMap((id) => (defined.includes(id) ? [] : [`${path}: ${id}`]));
    },
  );
  expect(unknown).toEqual([]);
});
