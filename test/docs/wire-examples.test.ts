import { expect, test } from 'vitest';
import { readDocument } from './documents.ts';
import { decodeExample, encodeExample, readWireExamples } from './wire-examples.ts';

const examples = readWireExamples(readDocument('protocol/SPEC.md').text);

test('SPEC.md shows a frame of each kind of exchange', () => {
  const shown = new Set(examples.map(({ words }) => /^\w+ \w+/.exec(words)?.[0]));
  expect([...shown].sort()).toEqual([
    'client ACK',
    'client BYE',
    'client CREDIT',
    'client HELLO',
    'client REQUEST',
    'server ANSWER',
    'server BYE',
    'server END',
    'server ERROR',
    'server PING',
    'server STDOUT',
    'server WELCOME',
  ]);
});

test.each(examples)(
  'WP-2 WP-8 the bytes in SPEC.md say what stands beside them: $words',
  ({ words, hex }) => {
    expect(encodeExample(words)).toBe(hex);
    expect(decodeExample(hex, words.split(' ')[0] ?? '')).toBe(words);
  },
);
