import { compileKernels } from '../../../scripts/compile-kernels.ts';
import { type PageKernels, pageBytes } from '../../../wasm/pages/page-kernels.ts';
import type { Benchmark, Figures } from '../figure.ts';
import type { LiveLab } from '../lab/live-lab.ts';
import { median, round } from '../median.ts';

const sizeBytes = 64 * 1024 * 1024;
const roundsInRun = 5;

/** `hash_ratio`: bytes a second of the page hash ÷ those of WebAssembly's `memory.copy`, by turns. */
export const hash: Benchmark<LiveLab> = { keys: ['hash_ratio'], measure };

async function measure({ runs }: LiveLab): Promise<Figures> {
  const memory = new WebAssembly.Memory({ initial: (2 * sizeBytes) / 65_536 + 1 });
  const bytes = new Uint32Array(memory.buffer);
  for (let at = 0; at < bytes.length; at++) bytes[at] = at * 2_654_435_761;
  const { instance } = await WebAssembly.instantiate(await compileKernels(), {
    env: { memory, abort: () => {} },
  });
  const kernels = instance.exports as unknown as PageKernels;
  const hashes: number[] = [];
  const copies: number[] = [];
  for (let n = 0; n <= runs * roundsInRun; n++) {
    const start = performance.now();
    for (let at = 0; at < sizeBytes; at += pageBytes) kernels.hash(at, 2 * sizeBytes);
    const hashed = performance.now();
    kernels.copy(sizeBytes, 0, sizeBytes);
    const copied = performance.now();
    if (n === 0) continue; // Compiled by now.
    hashes.push(hashed - start);
    copies.push(copied - hashed);
  }
  const perSecond = (ms: number) => round(sizeBytes / 1e6 / ms);
  const [hashMs, copyMs] = [median(hashes), median(copies)];
  const details = {
    hashGBs: perSecond(hashMs),
    copyGBs: perSecond(copyMs),
    rounds: hashes.length,
    where: 'in Node',
  };
  return { hash_ratio: { value: round(copyMs / hashMs), details } };
}
