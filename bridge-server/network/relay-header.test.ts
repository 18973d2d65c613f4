import { expect, test } from 'vitest';
import { parseRelayHeader } from './relay-header.ts';

const key = '0b6f2b1e-9f7c-4a51-8f2e-3c6c2d1f0a99';
const header = (kind: string, tail: readonly number[]) =>
  Buffer.concat([Buffer.from(key + kind), Buffer.from(tail)]);

test('a relay says which jail it is of, and where a stream goes or that there is a question', () => {
  expect(parseRelayHeader(header('s', [0, 0x1f, 0x90, 140, 82, 121, 4]))).toEqual({
    ...{ key, type: 'stream', address: '140.82.121.4', port: 8080 },
  });
  expect(parseRelayHeader(header('q', [0, 0, 0, 0, 0, 0, 0]))).toEqual({ key, type: 'question' });
});

test('anything else is no header', () => {
  expect(parseRelayHeader(header('x', [0, 0, 80, 1, 1, 1, 1]))).toBeUndefined();
  expect(parseRelayHeader(header('s', [0, 0, 80, 1, 1, 1]))).toBeUndefined();
});
