import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pageBytes } from '../../../wasm/pages/page-kernels.ts';
import { GuestRam } from './guest-ram.ts';
import type { LiveCpu } from './live-internals.ts';
import { PageStates, pageStates } from './page-states.ts';

const pages = 16;
const marks = { statesAt: 64, ramAt: 0, guardAt: 4 };
const functions = [
  'read8',
  'read16',
  'read32s',
  'write8',
  'write16',
  'write32',
  'read_blob',
  'write_blob',
] as const;
type DeviceAccess = Record<(typeof functions)[number], (...values: unknown[]) => unknown>;

/** A stand-in for a processor of a watched module: it asks at the first look since its TLB was cleared, and notes the first write. */
class WatchedCpu {
  readonly wasm_memory: WebAssembly.Memory = new WebAssembly.Memory({ initial: 4 });
  readonly mem8 = new Uint8Array(this.wasm_memory.buffer, 2 * 65_536, pages * pageBytes);
  readonly table = new WebAssembly.Table({ initial: 1, element: 'anyfunc' });
  readonly #firstPage = this.mem8.byteOffset / pageBytes;
  readonly #states = new Uint8Array(this.wasm_memory.buffer, marks.statesAt + this.#firstPage, pages);
  readonly #tlb = new Map<number, 'read' | 'write'>();

  constructor() {
    const devices = this as unknown as DeviceAccess;
    for (const name of functions) devices[name] = () => undefined;
  }

  full_clear_tlb(): void {
    this.#tlb.clear();
  }

  access(page: number, how: 'read' | 'write'): void {
    const known = this.#tlb.get(page);
    if (known === 'write' || known === how) return;
    this.#tlb.set(page, how);
    if (this.guard !== 0 && (this.#states[page] as number) > pageStates.written)
      this.table.get(this.guard)(this.#firstPage + page);
    if (how === 'write') this.#states[page] = pageStates.written;
  }

  get guard(): number {
    const [index = 0] = new Uint32Array(this.wasm_memory.buffer, marks.guardAt, 1);
    return index;
  }
}

const somePages = fc.uniqueArray(fc.nat(pages - 1));
const step = fc.record({
  type: fc.constantFrom(
    'read',
    'write',
    'readByDevice',
    'writeByDevice',
    'forget',
    'share',
    'await',
    'clear',
  ),
  some: somePages,
});

test('a page is listed from the first write to it, and asked for once, before anybody looks at it', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const cpu = new WatchedCpu();
      const live = cpu as unknown as LiveCpu;
      const found = new PageStates(live, { ram: new GuestRam(live), marks, table: cpu.table });
      const asked: string[] = [];
      const shared = found.guard(pageStates.shared, (page) => asked.push(`shared ${page}`));
      const late = found.guard(pageStates.late, (page) => asked.push(`late ${page}`));
      const written = new Set<number>();
      const guarded = new Map<number, string>();
      const expected: string[] = [];
      const look = (page: number) => {
        if (guarded.has(page)) expected.push(`${guarded.get(page)} ${page}`);
        guarded.delete(page);
      };
      const guard = (some: number[], name: string) => {
        for (const page of some) look(page);
        for (const page of some) guarded.set(page, name);
        for (const page of some) written.delete(page);
      };
      for (const { type, some } of steps) {
        const numbers = Uint32Array.from(some);
        if (type === 'forget') found.forget(numbers);
        if (type === 'forget') for (const page of some) written.delete(page);
        if (type === 'share') shared.set(numbers);
        if (type === 'share') guard(some, 'shared');
        if (type === 'await') late.set(numbers);
        if (type === 'await') guard(some, 'late');
        for (const page of some) {
          if (type === 'clear') shared.clear(page);
          if (type === 'clear' && guarded.get(page) === 'shared') guarded.delete(page);
          const isWrite = type.startsWith('write');
          if (!isWrite && !type.startsWith('read')) continue;
          if (type === 'read' || type === 'write') cpu.access(page, type);
          if (type === 'readByDevice') live.read_blob(page * pageBytes + 7, 9);
          if (type === 'writeByDevice') live.write32(page * pageBytes + 4, 1);
          look(page);
          if (isWrite) written.add(page);
        }
        expect(asked).toEqual(expected);
        // Page walks ask only while there is something to ask for.
        expect(cpu.guard !== 0).toBe(guarded.size > 0);
        expect([...found.list()]).toEqual([...written].sort((a, b) => a - b));
      }
    }),
    { numRuns: 300 },
  );
});

test('what fails before a look is told once', () => {
  const cpu = new WatchedCpu();
  const live = cpu as unknown as LiveCpu;
  const found = new PageStates(live, { ram: new GuestRam(live), marks, table: cpu.table });
  const causes: unknown[] = [];
  found.onDamage = (cause) => causes.push(cause);
  const late = found.guard(pageStates.late, (page) => {
    throw new RangeError(`no page ${page}`);
  });
  late.set(Uint32Array.of(1, 2));
  cpu.access(2, 'read');
  cpu.access(1, 'write');
  expect(causes).toEqual([new RangeError('no page 2')]);
});
