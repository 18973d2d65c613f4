// The machine worker's entry. It is small: what every start needs is on its way before the script that uses it.
import { IdbRefs } from '../stores/idb/idb-refs.ts';
import {
  machineReady,
  type WarmUp,
  type WorkerStart,
  workerHolds,
  workerRuns,
} from '../transports/worker-start.ts';
import { ImageDownloads } from './assets/image-downloads.ts';
import { watchedV86 } from './machine/watched-v86.ts';
import { SandboxRegistry } from './sandbox-registry.ts';

/** The worker's script is in the site's `assets/` folder; the development server has it elsewhere. */
const images = new URL('images/', new URL(import.meta.env.DEV ? '/' : '..', location.href));
const downloads = new ImageDownloads(images);
const registry = new SandboxRegistry(IdbRefs.open());
let compiled: Promise<WebAssembly.Module> | undefined;
/** Compiled once it is needed, or expected to be: a shell needs none. */
const wasm = (): Promise<WebAssembly.Module> => {
  if (compiled !== undefined) return compiled;
  compiled = WebAssembly.compileStreaming(fetch(watchedV86.url));
  compiled.catch(() => undefined); // Told to whoever needs it.
  return compiled;
};
const options = { registry, downloads, images, wasm, marks: watchedV86.marks };

const serving = import('./serve-backend.ts');
serving.catch(() => undefined); // Told below.

// The page hears of a failure as an error of this worker.
addEventListener('message', ({ data }: MessageEvent<WorkerStart | WarmUp>) => {
  if ('warmUpFor' in data)
    void prepare(data).catch(() => undefined); // Then the machine is made when it is needed.
  else serve(data).catch(reportError);
});

async function serve({ port, image, lock }: WorkerStart): Promise<void> {
  hold(lock);
  if (image) {
    downloads.expect();
    void wasm();
  }
  if (image && 'name' in image) downloads.begin(image);
  else if (image) void beginFor(image.sandbox);
  postMessage(workerRuns);
  const { serveBackend } = await serving;
  serveBackend(port, options);
}

async function prepare({ warmUpFor }: WarmUp): Promise<void> {
  void wasm();
  const { warmUp } = await serving;
  await warmUp(await registry.get(warmUpFor), options);
  postMessage(machineReady);
}

async function beginFor(sandbox: string): Promise<void> {
  try {
    const { imageDigest: digest } = await registry.get(sandbox);
    if (digest !== '') downloads.begin({ digest }); // Not every runtime has one.
  } catch {
    // Whoever opens the sandbox is told.
  }
}

/** Until this worker ends. Without Web Locks (insecure origins) nobody is told. */
function hold(lock: string): void {
  if (!('locks' in navigator)) return;
  const held = navigator.locks.request(lock, () => {
    postMessage(workerHolds);
    return new Promise(() => {});
  });
  held.catch(() => undefined); // Then nobody is told either.
}
