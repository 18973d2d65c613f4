// The other side of `start_ratio`: boots the machine as this page loads.
import type { ColdBootMessage } from './cold-boot-worker.ts';

declare global {
  /** Milliseconds from the start of the navigation to the prompt. */
  var coldBootMs: Promise<number>;
}

const worker = new Worker(new URL('./cold-boot-worker.ts', import.meta.url), { type: 'module' });
globalThis.coldBootMs = new Promise((resolve, reject) => {
  worker.onmessage = ({ data }: MessageEvent<ColdBootMessage>) => {
    if (data.type === 'prompt') resolve(performance.now());
    else reject(new Error(data.message));
  };
  worker.onerror = (event) => reject(new Error(event.message));
});
