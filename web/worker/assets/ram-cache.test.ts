import { expect, test, vi } from 'vitest';
import { limits } from '../../../protocol/limits.ts';
import { PackedRam } from '../../../runtimes/v86/memory-image/packed-ram.ts';
import { pageBytes } from '../../../wasm/pages/page-kernels.ts';
import { hashPages, RamCache } from './ram-cache.ts';

// The bundler puts the compiled kernels there; what defines them serves as well.
vi.mock('./open-kernels.ts', async () => {
  const { twinKernels } = await import('../../../wasm/pages/twin.ts');
  return { openKernels: (memory: WebAssembly.Memory) => twinKernels(memory.buffer) };
});

const clusterPages = 16;
const pages = 3 * clusterPages + 5;
const fileAt = 100;

/** RAM that was kept in a file, which notes what is read of it. */
function openKept({ first = [] as number[] } = {}) {
  const ram = Uint8Array.from({ length: pages * pageBytes }, (_, at) => (at * 31 + (at >> 12)) % 253);
  const hashes = hashPages(ram);
  const content = new Uint8Array(fileAt + ram.length);
  content.set(ram, fileAt);
  const reads: { page: number; pages: number }[] = [];
  const close = vi.fn();
  const read = (into: Uint8Array, { at }: { at: number }) => {
    const found = content.subarray(at, at + into.length);
    into.set(found);
    reads.push({ page: (at - fileAt) / pageBytes, pages: into.length / pageBytes });
    return found.length;
  };
  const into = new Uint8Array(ram.length);
  const onDamage = vi.fn();
  const onFirst = vi.fn();
  const open = (file: object = { read, close }) =>
    new RamCache({
      file: file as ConstructorParameters<typeof RamCache>[0]['file'],
      at: fileAt,
      into,
      hashes,
      first: new Set(first),
      onFirst,
      onDamage,
    });
  const page = (from: Uint8Array, place: number) => from.slice(place * pageBytes, (place + 1) * pageBytes);
  return { ram, content, reads, close, into, onDamage, onFirst, open, page };
}

test('a page that is asked for is read with those beside it, once', () => {
  const { ram, reads, into, open, page } = openKept();
  const kept = open();
  expect(reads).toEqual([]);
  kept.read(20);
  expect(page(into, 20)).toEqual(page(ram, 20));
  kept.read(31);
  kept.read(pages - 1);
  expect(page(into, pages - 1)).toEqual(page(ram, pages - 1));
  expect(reads).toEqual([
    { page: 16, pages: 16 },
    { page: 48, pages: 5 },
  ]);
});

test('what was looked at first the last time is read at once, neighbours together, and more is noted', () => {
  const { reads, onFirst, open } = openKept({ first: [2, 0, 1] });
  const kept = open();
  expect(reads).toEqual([{ page: 0, pages: 48 }]);
  kept.read(1);
  kept.firstIsOver();
  expect(onFirst).not.toHaveBeenCalled();
  kept.read(50);
  kept.firstIsOver();
  expect(onFirst).toHaveBeenCalledExactlyOnceWith(new Set([0, 1, 2, 3]));
});

test('what nobody asked for is read soon, and the file let go of', () => {
  vi.useFakeTimers();
  const { ram, into, close, open } = openKept();
  open().read(0);
  vi.advanceTimersByTime(limits.keptRamMs);
  vi.useRealTimers();
  expect(into).toEqual(ram);
  expect(close).toHaveBeenCalledOnce();
});

test('a state that is let go of before all of it was read lets go of the file, and nothing is read any more', () => {
  vi.useFakeTimers();
  const { reads, into, close, onDamage, open } = openKept();
  const kept = open();
  const letGo = vi.fn();
  const ram = new PackedRam(new Uint8Array(16).fill(255), into, { stored: kept, letGo });
  ram.get(0);
  ram.letGo();
  vi.advanceTimersByTime(limits.keptRamMs);
  vi.useRealTimers();
  expect(reads).toEqual([{ page: 0, pages: 16 }]);
  expect(letGo).toHaveBeenCalledOnce();
  expect(close).toHaveBeenCalledOnce();
  expect(onDamage).not.toHaveBeenCalled();
});

test('damage is told to who asks for the page, and to who keeps the file, which is let go of', () => {
  const { content, onDamage, close, open } = openKept();
  const kept = open();
  const at = fileAt + 20 * pageBytes + 9;
  content[at] = 1 ^ (content[at] ?? 0);
  kept.read(19);
  const isCorrupt = expect.objectContaining({ code: 'corrupt-object' });
  expect(() => kept.read(20)).toThrow(isCorrupt);
  expect(onDamage).toHaveBeenCalledOnce();
  expect(close).toHaveBeenCalledOnce();
  expect(() => kept.read(40)).toThrow(isCorrupt);
});

test('a file that was cut short since it was opened is damage', () => {
  const { reads, onDamage, close, open } = openKept();
  const kept = open({ read: () => reads.length, close });
  expect(() => kept.read(0)).toThrow(expect.objectContaining({ code: 'corrupt-object' }));
  expect(onDamage).toHaveBeenCalledOnce();
});
