import { type ModuleMarks, pageStates } from './page-states.ts';
import {
  concatenate,
  readSections,
  s32,
  sectionIds,
  theSection,
  u32,
  WasmReader,
  type WasmSection,
  writeSections,
} from './wasm-sections.ts';

/** A module whose guest notes every page that it may have written, and asks before it looks at a guarded one. */
export interface WatchedModule extends ModuleMarks {
  readonly wasm: Uint8Array<ArrayBuffer>;
}

const wasmPageBytes = 65_536;
/** A byte for each page of all 4 GiB that a module can have. */
const bytesForAll = 16 * wasmPageBytes;
/** The states, and one page for the words. */
const extraPages = bytesForAll / wasmPageBytes + 1;

/** Addresses of the guest's control registers, and of the size of its RAM, in v86 0.5.462 (`src/rust/cpu/global_pointers.rs`). */
const cr0At = 580;
const cr3At = 592;
const ramBytesAt = 812;
/** Of the function that is called for a page: one number, no answer. */
const guardType = [0x60, 1, 0x7f, 0];
const pageWalk = 'do_page_walk';

/** Opcodes of the core specification, 5.4, that are used here. */
const op = {
  if: 0x04,
  end: 0x0b,
  call: 0x10,
  callIndirect: 0x11,
  localGet: 0x20,
  localTee: 0x22,
  i32Load: 0x28,
  i32Load8U: 0x2d,
  i32Store8: 0x3a,
  i32Const: 0x41,
  i32Eq: 0x46,
  i32LtS: 0x48,
  i32LtU: 0x49,
  i32GtU: 0x4b,
  i32Add: 0x6a,
  i32And: 0x71,
  i32Xor: 0x73,
  i32Shl: 0x74,
  i32ShrU: 0x76,
} as const;
const noResult = 0x40;

/**
 * Wraps the one function of v86's wasm by which the guest's first access to a page goes after its TLB
 * was cleared, and its first write: `do_page_walk(address, for_writing, user, jit, side_effects)`, which answers the
 * translation as the exclusive or of both addresses, or 0. It does the same for the tables that it
 * walks, whose accessed and dirty bits it sets. Paging with PAE walks others, which are neither noted nor asked for: v86
 * says whether the guest uses it.
 * @throws RangeError for a module in which that is not one function of this type
 */
export function watchWrites(module: Uint8Array): WatchedModule {
  const sections = readSections(module);
  const index = functionIndex(sections, pageWalk);
  const imported = importedFunctions(theSection(sections, sectionIds.import));
  const types = functionTypes(theSection(sections, sectionIds.function));
  const type = types[index - imported];
  if (type === undefined) throw new RangeError(`${pageWalk} is imported`);
  const { memory, statesAt } = grown(theSection(sections, sectionIds.memory));
  const ramAt = statesAt + bytesForAll;
  const places = { statesAt, ramAt, guardAt: ramAt + 4 };
  const allTypes = new WasmReader(theSection(sections, sectionIds.type).content);
  const typeCount = allTypes.u32();
  const originalIndex = imported + types.length;
  const bodies = functionBodies(theSection(sections, sectionIds.code));
  const original = bodies[index - imported];
  if (!original) throw new RangeError(`${pageWalk} has no code`);
  bodies[index - imported] = wrapper({ original: originalIndex, guard: typeCount, ...places });
  const replaced: Readonly<Record<number, Uint8Array>> = {
    [sectionIds.type]: Uint8Array.from([...u32(typeCount + 1), ...allTypes.rest(), ...guardType]),
    [sectionIds.function]: Uint8Array.from([...u32(types.length + 1), ...types.flatMap(u32), ...u32(type)]),
    [sectionIds.memory]: memory,
    [sectionIds.code]: codeSection([...bodies, original]),
  };
  const wasm = writeSections(
    module,
    sections.map(({ id, content }) => ({ id, content: replaced[id] ?? content })),
  );
  return { wasm, ...places };
}

/** The body of what takes the place of the page walk: `original` is that function now, `guard` the type of who is called. */
function wrapper({
  original,
  guard,
  statesAt,
  ramAt,
  guardAt,
}: ModuleMarks & { original: number; guard: number }): Uint8Array {
  const constant = (value: number) => [op.i32Const, ...s32(value)];
  const load = (address: number) => [...constant(address), op.i32Load, 2, 0];
  const [address, forWriting, entry, at, page] = [0, 1, 5, 6, 7];
  const when = (condition: number[], then: number[]) => [...condition, op.if, noResult, ...then, op.end];
  /** Turns an address on the stack into the number of its page. */
  const numberOf = [...constant(12), op.i32ShrU];
  const mark = [...numberOf, ...constant(pageStates.written), op.i32Store8, 0, ...u32(statesAt)];
  const state = [...numberOf, op.localTee, page, op.i32Load8U, 0, ...u32(statesAt)];
  const isGuarded = [...state, ...constant(pageStates.written), op.i32GtU];
  const callGuard = [op.localGet, page, ...load(guardAt), op.callIndirect, ...u32(guard), 0];
  /** Calls for the page of an address on the stack, where it is guarded. */
  const ask = when(isGuarded, callGuard);
  const frame = (mask: number) => [...constant(mask), op.i32And, ...load(ramAt), op.i32Add];
  // Paging is bit 31 of CR0: the number is negative. A guest may put its tables where there is no RAM.
  const hasDirectory = [
    ...[...load(cr0At), ...constant(0), op.i32LtS],
    ...[...load(cr3At), ...load(ramBytesAt), op.i32LtU, op.i32And],
  ];
  const directory = [...load(cr3At), ...frame(-4096)];
  const directoryEntry = [
    ...[op.localGet, at, op.localGet, address, ...constant(22), op.i32ShrU, ...constant(2), op.i32Shl],
    ...[op.i32Add, op.i32Load, 2, 0],
  ];
  // Present, and no page of 4 MiB.
  const hasTable = [op.localTee, at, ...constant(0x81), op.i32And, ...constant(1), op.i32Eq];
  const table = [op.localGet, at, ...frame(-4096)];
  /** Does the same with both tables that the walk goes by. */
  const withTables = (use: number[]) =>
    when(hasDirectory, [
      ...[...directory, op.localTee, at, ...use],
      ...[...directoryEntry, ...when(hasTable, [...table, ...use])],
    ]);
  const target = [op.localGet, entry, op.localGet, address, op.i32Xor];
  const walk = [0, 1, 2, 3, 4].flatMap((local) => [op.localGet, local]);
  const code = [
    ...when(load(guardAt), withTables(ask)),
    ...[...walk, op.call, ...u32(original), op.localTee, entry],
    op.if,
    noResult,
    ...when(load(guardAt), [...target, ...ask]),
    ...when([op.localGet, forWriting], [...target, ...mark]),
    ...[...withTables(mark), op.end],
    ...[op.localGet, entry, op.end],
  ];
  const i32 = 0x7f;
  const locals = [1, 3, i32];
  return Uint8Array.from([...locals, ...code]);
}

/** The memory section with room for the states behind what the module asks for. */
function grown({ content }: WasmSection): { memory: Uint8Array; statesAt: number } {
  const reader = new WasmReader(content);
  const count = reader.u32();
  const flags = reader.u8();
  const pages = reader.u32();
  if (count !== 1 || flags > 1) throw new RangeError('its memory is of another kind');
  const most = flags === 1 ? u32(reader.u32()) : [];
  const memory = Uint8Array.from([1, flags, ...u32(pages + extraPages), ...most]);
  return { memory, statesAt: pages * wasmPageBytes };
}

/** Index of the only function whose name has `part` in it, by the section of names (appendix 7.4). */
function functionIndex(sections: readonly WasmSection[], part: string): number {
  const found: number[] = [];
  for (const { content } of sections.filter(({ id }) => id === sectionIds.custom)) {
    const reader = new WasmReader(content);
    if (reader.name() !== 'name') continue;
    while (!reader.isAtEnd) {
      const kind = reader.u8();
      const names = new WasmReader(reader.take(reader.u32()));
      const functionNames = 1;
      if (kind !== functionNames) continue;
      for (let left = names.u32(); left > 0; left--) {
        const index = names.u32();
        if (names.name().includes(part)) found.push(index);
      }
    }
  }
  const [index, another] = found;
  if (index === undefined || another !== undefined) throw new RangeError(`it has not one ${part}`);
  return index;
}

function importedFunctions({ content }: WasmSection): number {
  const reader = new WasmReader(content);
  let functions = 0;
  for (let left = reader.u32(); left > 0; left--) {
    reader.name();
    reader.name();
    const kind = reader.u8();
    if (kind === 0) {
      functions++;
      reader.u32();
    } else if (kind === 1) {
      reader.u8();
      skipLimits(reader);
    } else if (kind === 2) {
      skipLimits(reader);
    } else {
      reader.take(2);
    }
  }
  return functions;
}

function skipLimits(reader: WasmReader): void {
  const hasMost = (reader.u8() & 1) !== 0;
  reader.u32();
  if (hasMost) reader.u32();
}

function functionTypes({ content }: WasmSection): number[] {
  const reader = new WasmReader(content);
  return Array.from({ length: reader.u32() }, () => reader.u32());
}

function functionBodies({ content }: WasmSection): Uint8Array[] {
  const reader = new WasmReader(content);
  return Array.from({ length: reader.u32() }, () => reader.take(reader.u32()));
}

function codeSection(bodies: readonly Uint8Array[]): Uint8Array {
  const count = Uint8Array.from(u32(bodies.length));
  return concatenate([count, ...bodies.flatMap((body) => [Uint8Array.from(u32(body.length)), body])]);
}
