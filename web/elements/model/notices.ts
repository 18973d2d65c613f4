/** A short message that asks for nothing: what happened, and at most one thing to do about it. */
export interface Notice {
  readonly text: string;
  readonly tone: 'info' | 'error';
  readonly action?: { readonly label: string; readonly run: () => void };
  /** Runs once when the notice goes without its action having been taken. */
  readonly onExpire?: () => void;
}

export interface ShownNotice extends Notice {
  readonly key: number;
}

const lifetimeMs = 12_000;
const mostShown = 4;

/**
 * The notices that are on the page, oldest first. One goes after 12 s, when it is dismissed, or
 * when a fifth arrives; time stands still while the pointer or the focus is on them. Fires
 * `change`.
 */
export class Notices extends EventTarget {
  #shown: readonly ShownNotice[] = [];
  readonly #timers = new Map<number, ReturnType<typeof setTimeout>>();
  #nextKey = 1;
  #held = false;

  get shown(): readonly ShownNotice[] {
    return this.#shown;
  }

  add(notice: Notice): void {
    const shown = { ...notice, key: this.#nextKey++ };
    this.#show([...this.#shown, shown]);
    if (!this.#held) this.#arm(shown.key);
    const oldest = this.#shown[0];
    if (this.#shown.length > mostShown && oldest !== undefined) this.dismiss(oldest.key);
  }

  /** Takes a notice away; what waited for its end happens now. */
  dismiss(key: number): void {
    this.#remove(key)?.onExpire?.();
  }

  /** Does what the notice offers, and takes it away. */
  act(key: number): void {
    this.#remove(key)?.action?.run();
  }

  /** Stops the clocks while someone reads, and starts them again. */
  hold(held: boolean): void {
    if (held === this.#held) return;
    this.#held = held;
    for (const { key } of this.#shown) {
      if (held) this.#disarm(key);
      else this.#arm(key);
    }
  }

  #remove(key: number): ShownNotice | undefined {
    const notice = this.#shown.find((shown) => shown.key === key);
    this.#disarm(key);
    if (notice !== undefined) this.#show(this.#shown.filter((shown) => shown !== notice));
    return notice;
  }

  #arm(key: number): void {
    this.#timers.set(
      key,
      setTimeout(() => this.dismiss(key), lifetimeMs),
    );
  }

  #disarm(key: number): void {
    clearTimeout(this.#timers.get(key));
    this.#timers.delete(key);
  }

  #show(shown: readonly ShownNotice[]): void {
    this.#shown = shown;
    this.dispatchEvent(new Event('change'));
  }
}
