import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import { readSections, s32, sectionIds, u32, WasmReader, writeSections } from './wasm-sections.ts';
import { watchWrites } from './watch-writes.ts';

const require = createRequire(import.meta.url);
const module = await readFile(require.resolve('v86/build/v86.wasm'));

describe('a watched module', () => {
  test('is one that compiles, with the same imports and exports, and room for what is known of each page', async () => {
    const { wasm, statesAt, ramAt } = watchWrites(module);
    const [before, after] = [await WebAssembly.compile(module), await WebAssembly.compile(wasm)];
    expect(WebAssembly.Module.imports(after)).toEqual(WebAssembly.Module.imports(before));
    expect(WebAssembly.Module.exports(after)).toEqual(WebAssembly.Module.exports(before));
    // A byte for each page of what WebAssembly can address.
    expect(ramAt - statesAt).toBe(2 ** 32 / 4096);
  });

  test('is refused where the page walk is not there, or the module is cut off', () => {
    const sections = readSections(module);
    const unnamed = sections.filter(({ id }) => id !== sectionIds.custom);
    expect(() => watchWrites(writeSections(module, unnamed))).toThrow('it has not one do_page_walk');
    expect(() => watchWrites(writeSections(module, [...sections, ...sections]))).toThrow(RangeError);
    expect(() => watchWrites(module.subarray(0, module.length / 2))).toThrow(RangeError);
    expect(() => watchWrites(new Uint8Array(100).fill(0x80))).toThrow(RangeError);
  });

  test('is written as it was read', () => {
    expect(Buffer.compare(writeSections(module, readSections(module)), module)).toBe(0);
  });

  test.each([0, 1, 63, 64, 127, 128, 16_384, 2 ** 31 - 1])('LEB128 holds %i', (value) => {
    expect(new WasmReader(Uint8Array.from(u32(value))).u32()).toBe(value);
    // The signed form has its sign in the highest bit of the last byte.
    expect((s32(value).at(-1) ?? 0) & 0x40).toBe(0);
    expect((s32(-value - 1).at(-1) ?? 0) & 0x40).toBe(0x40);
  });
});
