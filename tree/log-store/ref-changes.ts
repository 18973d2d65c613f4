import type { RefChange } from '../objects/sandbox-store.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });
const deleted = 0xffff_ffff;
const prefixBytes = 6;

/** Bytes that `changes` take: per change u16 name length, u32 value length or all ones, name, value (UTF-8). */
export function refChangesBytes(changes: readonly RefChange[]): number {
  return changes.reduce((total, { name, value }) => {
    return total + prefixBytes + encoder.encode(name).length + encoder.encode(value ?? '').length;
  }, 0);
}

/** Writes `changes` at `offset`; there is room for `refChangesBytes`. */
export function writeRefChanges(changes: readonly RefChange[], into: Uint8Array, offset: number): void {
  const view = new DataView(into.buffer, into.byteOffset, into.byteLength);
  let at = offset;
  for (const change of changes) {
    const name = encoder.encode(change.name);
    const value = encoder.encode(change.value ?? '');
    view.setUint16(at, name.length, true);
    view.setUint32(at + 2, change.value === undefined ? deleted : value.length, true);
    into.set(name, at + prefixBytes);
    into.set(value, at + prefixBytes + name.length);
    at += prefixBytes + name.length + value.length;
  }
}

/** The changes in `bytes`. @throws RangeError or TypeError when they are cut or not UTF-8 */
export function readRefChanges(bytes: Uint8Array): RefChange[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const changes: RefChange[] = [];
  for (let at = 0; at < bytes.length; ) {
    const nameEnd = at + prefixBytes + view.getUint16(at, true);
    const length = view.getUint32(at + 2, true);
    const end = nameEnd + (length === deleted ? 0 : length);
    if (end > bytes.length) throw new RangeError('A ref change is cut');
    const name = decoder.decode(bytes.subarray(at + prefixBytes, nameEnd));
    changes.push({
      name,
      value: length === deleted ? undefined : decoder.decode(bytes.subarray(nameEnd, end)),
    });
    at = end;
  }
  return changes;
}
