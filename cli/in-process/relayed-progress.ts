import type { Progress, StepReport } from '../../host/progress.ts';
import type { ProgressListener } from '../../protocol/sandbox/progress.ts';

/** What making an image or a program takes, told to whoever waits for it at the moment; nothing is printed. */
export class RelayedProgress implements Progress {
  readonly #listeners = new Set<ProgressListener>();

  /** Tells `listener` until the result is disposed of. */
  tell(listener: ProgressListener): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** What is finished needs no waiting for. */
  note(): void {}

  /** Of a choice that is made for the caller, such as of the image: `info` of the sandbox has it. */
  warn(): void {}

  step<Result>(label: string, work: (report: StepReport) => Promise<Result>): Promise<Result> {
    const begunMs = performance.now();
    const say = (text: string, doneBytes = 0, totalBytes = 0) => {
      const elapsedMs = performance.now() - begunMs;
      for (const listener of this.#listeners)
        listener({ stage: 'download', doneBytes, totalBytes, elapsedMs, text });
    };
    say(label);
    return work({
      bytes: (doneBytes, totalBytes, more) =>
        say(more === undefined ? label : `${label} ${more}`, doneBytes, totalBytes),
      detail: (text) => say(`${label}: ${text}`),
    });
  }
}
