import { randomBytes } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { measureDeflated } from './measure-deflated.ts';

const mostBytes = 10_000_000;
const texts: readonly [what: string, bytes: Uint8Array][] = [
  ['nothing', new Uint8Array(0)],
  ['one byte', Uint8Array.of(7)],
  ['text', Buffer.from('the quick brown fox jumps over the lazy dog\n'.repeat(2_000))],
  ['numbers', Buffer.from(Array.from({ length: 20_000 }, (_, n) => n * n).join(' '))],
  ['noise', randomBytes(200_000)],
  ['zeros', new Uint8Array(5_000_000)],
];

test.each(texts)('H-9 what is deflated is measured without being inflated: %s', (_what, bytes) => {
  for (const level of [0, 1, 6, 9]) {
    for (const strategy of [0, 2, 4]) {
      const deflated = deflateSync(bytes, { level, strategy });
      const within = Buffer.concat([Buffer.from('before'), deflated, Buffer.from('after')]);
      const measured = measureDeflated(within, { from: 6, mostBytes });
      if (typeof measured === 'string')
        throw new Error(`${measured} at level ${level}, strategy ${strategy}`);
      expect(measured.sizeBytes).toBe(bytes.length);
      expect(measured.end).toBe(6 + deflated.length);
      expect(Buffer.from(measured.start)).toEqual(Buffer.from(bytes.subarray(0, 32)));
    }
  }
});

test('H-9 what would be too long, ends early or is none is told apart', () => {
  const bomb = deflateSync(new Uint8Array(mostBytes + 1));
  expect(measureDeflated(bomb, { from: 0, mostBytes })).toBe('long');
  const deflated = deflateSync(Buffer.from('some text that is deflated'));
  for (let length = 0; length < deflated.length; length++) {
    expect(measureDeflated(deflated.subarray(0, length), { from: 0, mostBytes })).toBe('damaged');
  }
  for (let round = 0; round < 2_000; round++) {
    const damaged = Buffer.concat([deflated.subarray(0, 2), randomBytes(round % 60)]);
    const measured = measureDeflated(damaged, { from: 0, mostBytes });
    if (typeof measured !== 'string') expect(measured.end).toBeLessThanOrEqual(damaged.length);
  }
});
