/** A short message that needs no answer: what happened, and at most one action. */
export interface Notice {
  readonly text: string;
  readonly tone: 'info' | 'error';
  readonly action?: { readonly label: string; readonly run: () => void };
  /** What it is about: a later notice about the same takes its place. */
  readonly about?: object;
  /** About what goes on: it stays until another is about the same, or none. */
  readonly goesOn?: boolean;
  /** Runs once when the notice goes without its action having been taken. */
  readonly onExpire?: () => void;
}

export interface ShownNotice extends Notice {
  readonly key: number;
}

const lifetimeMs = 12_000;
const mostShown = 4;

/**
 * The notices that are on the page, oldest first. A notice is removed after 12 s, when it is dismissed, or when a
 * fifth arrives; timers pause while the pointer or the focus is on one. Fires `change`.
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
    if (notice.about !== undefined) this.dismissAbout(notice.about);
    const shown = { ...notice, key: this.#nextKey++ };
    this.#show([...this.#shown, shown]);
    if (!this.#held) this.#arm(shown.key);
    const oldest = this.#shown[0];
    if (this.#shown.length > mostShown && oldest !== undefined) this.dismiss(oldest.key);
  }

  /** Removes a notice, and runs what waited for that. */
  dismiss(key: number): void {
    this.#remove(key)?.onExpire?.();
  }

  /** Removes the notice about something, whose action has no sense any more. */
  dismissAbout(about: object): void {
    for (const notice of this.#shown) if (notice.about === about) this.dismiss(notice.key);
  }

  /** Runs the notice's action, and removes it. */
  act(key: number): void {
    this.#remove(key)?.action?.run();
  }

  /** Pauses the timers while the user reads, and resumes them. */
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
    if (this.#shown.find((shown) => shown.key === key)?.goesOn) return;
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
