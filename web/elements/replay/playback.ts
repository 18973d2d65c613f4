import { SandboxError } from '../../../protocol/errors.ts';
import type { OutputPlace, ReplayLink, ScreenAt, ScreenEvent } from '../../transports/replay-link.ts';

/** Who draws a recording's terminal. */
export interface ReplayScreen {
  /** Shows a screen in place of the one before. */
  show(screen: ScreenAt): Promise<void>;
  write(events: readonly ScreenEvent[]): void;
  /** Characters that are not drawn yet. */
  readonly pendingCharacters: number;
}

/** Characters that may wait to be drawn before the clock waits for them. */
const mostPending = 1_048_576;
/** A frame that took longer, as after the tab was in the background, is this long. */
const longestFrameSeconds = 0.25;
/** Idle time that is shown before the rest is skipped, and what is left before the next thing happens. */
const idleShownSeconds = 1;
const idleLeftSeconds = 0.25;
/** A millisecond is the smallest step of time in a recording. */
const justAfter = 0.0005;

interface PlaybackOptions {
  readonly link: Pick<ReplayLink, 'screen' | 'output'>;
  /** Seconds that are known of the recording, and whether that is all of it. */
  readonly known: () => { readonly duration: number; readonly isWhole: boolean };
  /** When something happens next besides output; `Infinity` after the last. */
  readonly nextStepAt: (at: number) => number;
  readonly onTime: () => void;
  readonly onError: (error: SandboxError) => void;
}

/** The clock of a recording that plays: what is shown when. Its owner calls `advance` for each frame. */
export class Playback {
  readonly #options: PlaybackOptions;
  #screen: ReplayScreen | undefined;
  #at = 0;
  #terminal = 1;
  /** What comes next on the terminal, and where what follows it begins. */
  #queue: readonly ScreenEvent[] = [];
  #queueAt = 0;
  #next: OutputPlace | undefined;
  #reading = false;
  #lastActive = 0;
  /** The instant that was sought last; another one than `#at` until the recording is known up to it. */
  #sought = 0;
  /** The place that is sought, while one is; others that were asked for meanwhile are forgotten but for the last. */
  #seeking: Promise<void> | undefined;
  #wanted = false;
  /** Whether the screen shows nothing of the recording. */
  #isBlank = true;
  #news = Promise.withResolvers<void>();

  constructor(options: PlaybackOptions) {
    this.#options = options;
  }

  get at(): number {
    return this.#at;
  }

  get isAtEnd(): boolean {
    const { duration, isWhole } = this.#options.known();
    return isWhole && this.#at >= duration;
  }

  /** The instant that is sought and not known yet. */
  get awaited(): number | undefined {
    return this.#isKnown(this.#sought) ? undefined : this.#sought;
  }

  /** Whether the clock waits for what is read or drawn. */
  get isWaiting(): boolean {
    const isBehind = (this.#screen?.pendingCharacters ?? 0) > mostPending;
    return isBehind || this.#seeking !== undefined || (this.#left === 0 && this.#next !== undefined);
  }

  get #left(): number {
    return this.#queue.length - this.#queueAt;
  }

  /** Draws on another screen from now on. */
  drawOn(screen: ReplayScreen | undefined): void {
    this.#screen = screen;
    this.#isBlank = true;
    if (screen !== undefined) void this.seek(this.#awaitedOrAt);
  }

  showTerminal(terminal: number): Promise<void> {
    this.#terminal = terminal;
    this.#isBlank = true;
    return this.seek(this.#awaitedOrAt);
  }

  /**
   * Goes to an instant; to one that is not known yet, when it is, and shows meanwhile what it showed. Resolves when it is drawn, or
   * another one that was asked for later.
   */
  seek(at: number): Promise<void> {
    this.#sought = Math.max(0, at);
    this.#wanted = true;
    this.#arrive();
    this.extend();
    this.#seeking ??= this.#seek().finally(() => {
      this.#seeking = undefined;
    });
    return this.#seeking;
  }

  /** More of the recording is known. */
  extend(): void {
    this.#news.resolve();
    this.#news = Promise.withResolvers();
  }

  get #awaitedOrAt(): number {
    return this.awaited ?? this.#at;
  }

  #isKnown(at: number): boolean {
    const { duration, isWhole } = this.#options.known();
    return isWhole || at < duration;
  }

  /** Takes the instant that is sought for the present one, where it is known. */
  #arrive(): void {
    if (!this.#isKnown(this.#sought)) return;
    this.#at = Math.min(this.#sought, this.#options.known().duration);
    this.#lastActive = this.#at;
    this.#options.onTime();
  }

  async #seek(): Promise<void> {
    while (this.#wanted) {
      const isThere = this.#isKnown(this.#sought);
      if (isThere) this.#wanted = false;
      if (isThere && this.#at !== this.#sought) this.#arrive();
      if (isThere || (this.#isBlank && this.#screen !== undefined && this.#isKnown(this.#at)))
        await this.#show(this.#at);
      else await this.#news.promise;
    }
  }

  async #show(at: number): Promise<void> {
    const terminal = this.#terminal;
    const shown = this.#screen;
    try {
      const screen = shown && (await this.#options.link.screen({ terminal, at }));
      this.#queue = [];
      this.#queueAt = 0;
      this.#next = { at: at + justAfter, skip: 0 };
      if (screen === undefined || (this.#wanted && this.#isKnown(this.#sought))) return;
      await shown?.show(screen);
    } catch (error) {
      this.#options.onError(SandboxError.from(error));
    }
    if (shown === this.#screen && terminal === this.#terminal) this.#isBlank = false;
  }

  /** Moves on by the time of a frame. */
  advance(frameSeconds: number, { speed, skipsIdle }: { speed: number; skipsIdle: boolean }): void {
    if (this.#left === 0 && this.#next !== undefined && this.#isKnown(this.#next.at))
      void this.#read(this.#next);
    if (this.isWaiting || this.isAtEnd) return;
    const { nextStepAt } = this.#options;
    const { duration } = this.#options.known();
    let at = Math.min(duration, this.#at + Math.min(frameSeconds, longestFrameSeconds) * speed);
    const nextAt = Math.min(this.#queue[this.#queueAt]?.at ?? Infinity, nextStepAt(this.#at), duration);
    if (skipsIdle && at - this.#lastActive > idleShownSeconds && nextAt - idleLeftSeconds > at)
      at = nextAt - idleLeftSeconds;
    if (nextAt <= at) this.#lastActive = nextAt;
    this.#at = at;
    this.#write();
    this.#options.onTime();
  }

  #write(): void {
    const from = this.#queueAt;
    while (this.#left > 0 && (this.#queue[this.#queueAt]?.at ?? Infinity) <= this.#at) this.#queueAt += 1;
    if (this.#queueAt > from) this.#screen?.write(this.#queue.slice(from, this.#queueAt));
  }

  async #read(from: OutputPlace): Promise<void> {
    if (this.#reading) return;
    this.#reading = true;
    const terminal = this.#terminal;
    try {
      const batch = await this.#options.link.output({ terminal, from });
      // Something else was sought meanwhile.
      if (this.#next !== from) return;
      this.#queue = batch.events;
      this.#queueAt = 0;
      this.#next = batch.next;
    } catch (error) {
      this.#next = undefined;
      this.#options.onError(SandboxError.from(error));
    } finally {
      this.#reading = false;
    }
  }
}
