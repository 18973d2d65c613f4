/** Runs asynchronous work one piece after the other, in the order it was asked for. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    // The next in line waits for the end of this one, not for its success.
    this.#last = result.catch(() => undefined);
    return result;
  }
}
