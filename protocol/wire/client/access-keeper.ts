import { SandboxError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { WireAccess } from '../handshake.ts';

/** Where a client gets another right to its session from, when the one that it has ends. */
export interface AccessSource {
  /** Resolves when there is another one, with which the next transport is opened. */
  next(): Promise<void>;
}

export interface AccessKeeperOptions {
  /** Without it there is one right only, which the server may prolong. */
  readonly source: AccessSource | undefined;
  /** Asks the server for more time. */
  readonly prolong: () => Promise<WireAccess>;
  /** There is another right to come back with. */
  readonly onOther: () => void;
}

/** The longest that a timer can wait. */
const longestTimerMs = 2_147_483_647;

/** Has the access of a session renewed before it ends. Whoever makes one closes it. */
export class AccessKeeper {
  readonly #options: AccessKeeperOptions;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #replacing: Promise<void> | undefined;
  #isClosed = false;
  /** When the access ends that was noted last, ms since 1970. */
  #endsAtMs = Number.POSITIVE_INFINITY;

  constructor(options: AccessKeeperOptions) {
    this.#options = options;
  }

  /** Notes what the server says of the access that the client has now. */
  note(access: WireAccess | undefined): void {
    clearTimeout(this.#timer);
    this.#endsAtMs = access ? Date.now() + access.endsInMs : Number.POSITIVE_INFINITY;
    if (this.#isClosed || !access || !(access.isRenewable || this.#options.source)) return;
    const { endsInMs } = access;
    const waitMs = endsInMs - Math.min(limits.accessLeadMs, endsInMs / 5);
    this.#timer = setTimeout(
      () => void this.#renewInTime(access),
      Math.min(Math.max(waitMs, limits.accessRetryMs), longestTimerMs),
    );
  }

  /** Why the server would not take the right that the client has; absent while it has time. */
  get ended(): SandboxError | undefined {
    return this.#options.source && Date.now() >= this.#endsAtMs ? ending() : undefined;
  }

  /** Gets another right, after one was refused. @throws unauthenticated when there is none; what the source does */
  async replace(refused: SandboxError): Promise<void> {
    const { source } = this.#options;
    if (!source) throw refused;
    // One at a time: whoever asks meanwhile gets the same.
    this.#replacing ??= source.next().finally(() => {
      this.#replacing = undefined;
    });
    await this.#replacing;
    clearTimeout(this.#timer); // It was for the one before.
    this.#endsAtMs = Number.POSITIVE_INFINITY; // The server will say.
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  /** What can be prolonged is not replaced: that needs nobody else. */
  async #renewInTime(access: WireAccess): Promise<void> {
    // The session comes back with another one already.
    if (this.#replacing) return;
    try {
      if (access.isRenewable) return this.note(await this.#options.prolong());
      await this.replace(ending());
      if (!this.#isClosed) this.#options.onOther();
    } catch {
      // While there is time. After that the server says that it has ended.
      const endsInMs = this.#endsAtMs - Date.now();
      if (endsInMs > 0) this.note({ ...access, endsInMs });
    }
  }
}

function ending(): SandboxError {
  return new SandboxError('unauthenticated', 'The access ends, and there is no other');
}
