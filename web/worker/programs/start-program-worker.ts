import type { FromProgram, StartProgramWorker } from '../../../shell/programs/wasm/program-worker.ts';
import { type ProgramThread, withSpareThread } from '../../../shell/programs/wasm/spare-thread.ts';

/** Starts workers for programs of a shell, below the worker of its sandbox. */
export const startProgramWorker: StartProgramWorker = withSpareThread(startThread);

function startThread(): ProgramThread {
  const worker = new Worker(new URL('./program-worker.ts', import.meta.url), { type: 'module' });
  return {
    post: (message) => worker.postMessage(message),
    onMessage: (listener) => {
      worker.onmessage = ({ data }: MessageEvent<FromProgram>) => listener(data);
    },
    onFailure: (listener) => {
      worker.onerror = (event) => {
        event.preventDefault();
        listener(event.message ?? 'the program could not be loaded');
      };
    },
    end: () => worker.terminate(),
    // A worker keeps no page alive.
    setIdle: () => {},
  };
}
