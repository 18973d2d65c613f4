import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { StartProgramWorker } from '../programs/wasm/program-worker.ts';
import { type ProgramThread, withSpareThread } from '../programs/wasm/spare-thread.ts';

/** TypeScript as it is in development, and compiled in the package. */
const script = join(import.meta.dirname, `program-worker${extname(import.meta.filename)}`);

/** Of JavaScript: what a program has in WebAssembly is limited by itself. */
const resourceLimits = { maxOldGenerationSizeMb: 512 };

/** Starts threads for programs, without the environment of this process. */
export const startProgramWorker: StartProgramWorker = withSpareThread(startThread);

function startThread(): ProgramThread {
  const worker = new Worker(script, { env: {}, argv: [], resourceLimits });
  let onMessage: Parameters<ProgramThread['onMessage']>[0] = () => {};
  let onFailure: Parameters<ProgramThread['onFailure']>[0] = () => {};
  worker.on('message', (message) => onMessage(message));
  worker.on('error', (error) => onFailure(error.message));
  return {
    post: (message) => worker.postMessage(message),
    onMessage: (listener) => {
      onMessage = listener;
    },
    onFailure: (listener) => {
      onFailure = listener;
    },
    end: () => void worker.terminate(),
    setIdle: (isIdle) => {
      if (isIdle) worker.unref();
      else worker.ref();
    },
  };
}
