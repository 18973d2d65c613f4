import { expect, test } from 'vitest';
import { drawGraph } from './draw-graph.ts';

function draw(...nodes: readonly string[]): string[] {
  const listed = nodes.map((text) => {
    const [id = '', ...parents] = text.split(' ');
    return { id, parents };
  });
  const rows = drawGraph(listed);
  return listed.flatMap(({ id }) => {
    const { above, node, below } = rows.next().value ?? { above: [], node: '', below: [] };
    return [...above, `${node} ${id}`, ...below];
  });
}

test('R-4 one line of snapshots is one column', () => {
  expect(draw('c b', 'b a', 'a')).toEqual(['* c', '* b', '* a']);
});

test('R-4 branches stand beside each other and join at the snapshot at which they part', () => {
  expect(draw('d b', 'c b', 'b a', 'a')).toEqual(['* d', '| * c', '|/', '* b', '* a']);
});

test('R-4 three branches that part at one snapshot, and one that goes on beside them', () => {
  expect(draw('e a', 'd a', 'c b', 'f a', 'b a', 'a')).toEqual([
    '* e',
    '| * d',
    '| | * c',
    '| | | * f',
    '| | * | b',
    '|_|_|/',
    '|_|/',
    '|/',
    '* a',
  ]);
});

test('R-4 a merge parts into the two that it came from', () => {
  expect(draw('m b c', 'c a', 'b a', 'a')).toEqual(['* m', '|\\', '| * c', '* | b', '|/', '* a']);
});

test('R-4 columns right of one that joins move to the left', () => {
  expect(draw('c a', 'b a', 'd x', 'a', 'x')).toEqual(['* c', '| * b', '| | * d', '|/ /', '* | a', '* x']);
});

test('R-4 a parent that is not listed ends the column', () => {
  expect(draw('b gone', 'a')).toEqual(['* b', '* a']);
});

test('R-4 very many branches at once are drawn in a bounded width', () => {
  const nodes = Array.from({ length: 500 }, (_, index) => `n${index} a`);
  for (const line of draw(...nodes, 'a')) expect(line.length).toBeLessThan(100);
});
