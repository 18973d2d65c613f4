// Of Node 22, which has the symbols of disposal and not the stack: the package's modules begin with this one.

type Resource = AsyncDisposable | Disposable | null | undefined;

/** As in ECMAScript's proposal of explicit resource management, as far as this project uses it. */
export class PortableDisposableStack implements AsyncDisposable {
  #disposals: (() => unknown)[] = [];
  #isDisposed = false;

  get disposed(): boolean {
    return this.#isDisposed;
  }

  use<Value extends Resource>(value: Value): Value {
    this.#assertOpen();
    if (value === null || value === undefined) return value;
    if (Symbol.asyncDispose in value) this.#disposals.push(() => value[Symbol.asyncDispose]());
    else if (Symbol.dispose in value) this.#disposals.push(() => value[Symbol.dispose]());
    else throw new TypeError('The value cannot be disposed of');
    return value;
  }

  adopt<Value>(value: Value, dispose: (value: Value) => unknown): Value {
    this.defer(() => dispose(value));
    return value;
  }

  defer(dispose: () => unknown): void {
    this.#assertOpen();
    this.#disposals.push(dispose);
  }

  move(): PortableDisposableStack {
    this.#assertOpen();
    const moved = new PortableDisposableStack();
    moved.#disposals = this.#disposals;
    this.#disposals = [];
    this.#isDisposed = true;
    return moved;
  }

  /** The last first, all of them. Of several that fail, the first failure is the cause of what is thrown. */
  async disposeAsync(): Promise<void> {
    this.#isDisposed = true;
    const disposals = this.#disposals.reverse();
    this.#disposals = [];
    const failures: unknown[] = [];
    for (const dispose of disposals) {
      try {
        await dispose();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length === 1) throw failures[0];
    if (failures.length > 1)
      throw new Error('Several resources could not be let go of', { cause: failures[0] });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.disposeAsync();
  }

  #assertOpen(): void {
    if (this.#isDisposed) throw new ReferenceError('The stack has been disposed of');
  }
}

if (!('AsyncDisposableStack' in globalThis)) {
  Object.defineProperty(globalThis, 'AsyncDisposableStack', {
    value: PortableDisposableStack,
    configurable: true,
    writable: true,
  });
}
