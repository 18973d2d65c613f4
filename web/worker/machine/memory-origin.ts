import type { MachineManifest } from '../../../protocol/image-manifest.ts';
import type { MemoryOrigin } from '../../../runtimes/v86/memory-image/memory-image.ts';
import { memoryRuntime } from '../../../runtimes/v86/memory-image/runtime.ts';
import { pageBytes } from '../../../wasm/pages/page-kernels.ts';

/** What a machine of an image is, whose manifest has the digest `image`: only such a one goes on from its memory. */
export function memoryOrigin(
  manifest: MachineManifest,
  { image, memoryMiB }: { image: string; memoryMiB: number },
): MemoryOrigin {
  const { name, version, module } = memoryRuntime;
  const golden = memoryMiB === manifest.memoryMiB ? manifest.golden?.digest : undefined;
  const ramPages = (memoryMiB * 1024 * 1024) / pageBytes;
  return { runtime: name, version, module, image, kernel: manifest.kernel.digest, golden, ramPages };
}
