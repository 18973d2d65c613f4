/** Resolves after the time. @throws what the signal was aborted with */
export function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const deadline = performance.now() + milliseconds;
    let timer: ReturnType<typeof setTimeout>;
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const sleep = () => {
      const left = deadline - performance.now();
      if (left > 0) {
        timer = setTimeout(sleep, Math.min(left, longestTimerMs));
        return;
      }
      signal.removeEventListener('abort', stop);
      resolve();
    };
    signal.addEventListener('abort', stop, { once: true });
    sleep();
  });
}

/** Timers count milliseconds in 31 bits. */
const longestTimerMs = 2 ** 31 - 1;
