export { isSame, isZero } from './compare';
export { compress, decompress } from './compress';
export { applyDelta, makeDelta } from './delta';
export { hash } from './hash';
export { list, putBack } from './sweep';

/** The baseline of benchmarks: WebAssembly's own memory copy. */
export function copy(to: usize, from: usize, length: usize): void {
  memory.copy(to, from, length);
}
