import { expect, test } from 'vitest';
import { limits } from './limits.ts';
import { OutputBuffer } from './output-buffer.ts';

test('H-9 output that comes byte by byte takes no more than what is kept of it, and is kept to its limit', () => {
  const output = new OutputBuffer();
  const text = new TextEncoder().encode('żółw');
  const before = process.memoryUsage().rss;
  const half = limits.resultOutputBytes / 2;
  for (let at = 0; at < half; at++) {
    const byte = at % text.length;
    output.push(text.subarray(byte, byte + 1));
  }
  output.push(new Uint8Array(half + 3));
  expect((process.memoryUsage().rss - before) / 2 ** 20).toBeLessThan(200);
  expect(output.droppedBytes).toBe(3);
  expect(output.bytes().length).toBe(limits.resultOutputBytes);
  expect(output.text().slice(0, 8)).toBe('żółwżółw');
});

test('what comes in pieces is what was kept, whatever is done with the pieces', () => {
  const output = new OutputBuffer();
  expect([output.text(), output.bytes().length]).toEqual(['', 0]);
  const piece = new Uint8Array([0xef, 0xbb, 0xbf, 0x61]);
  output.push(piece);
  piece.fill(0);
  output.push(new Uint8Array([0xff, 0x62]));
  expect(output.text()).toBe('\ufeffa\ufffdb');
  const bytes = output.bytes();
  bytes.fill(0);
  expect(output.bytes()[3]).toBe(0x61);
});
