import { boundSize } from '../format/decode-event.ts';
import { firstTerminal, type RecordingEvent } from '../format/recording-event.ts';
import { recordingLimits } from '../limits.ts';
import { type HeadlessScreen, loadHeadlessScreen } from '../screen/headless-screen.ts';

export type KeyframeEvent = Extract<RecordingEvent, { readonly type: 'keyframe' }>;

/** What a screen has not been told yet: output, or a new size. */
type Pending = string | { readonly columns: number; readonly rows: number };

type MakeScreen = Awaited<ReturnType<typeof loadHeadlessScreen>>;

/** Makes keyframes of a recording's terminals while it is written. Its owner disposes of it. */
export class Keyframes implements Disposable {
  readonly #tracks = new Map<number, Track>();
  readonly #load: () => Promise<MakeScreen>;
  #make: MakeScreen | undefined;
  #loading: Promise<void> | undefined;

  /** `size`: of the first terminal, as the header has it. */
  constructor(
    size: { readonly columns: number; readonly rows: number },
    load: () => Promise<MakeScreen> = loadHeadlessScreen,
  ) {
    this.#load = load;
    this.#tracks.set(firstTerminal, new Track(firstTerminal, size));
  }

  /**
   * Takes an event that was written to the recording, at that time in seconds, and answers with the keyframe that has to be written
   * right after it, if one is due. Secrets are replaced in it already.
   */
  after(event: RecordingEvent, at: number): KeyframeEvent | undefined {
    if (event.type === 'terminal') {
      if (this.#tracks.size < recordingLimits.keyframeTerminals)
        this.#tracks.set(event.terminal, new Track(event.terminal, event));
    } else if (event.type === 'terminal-end') this.#end(event.terminal);
    else if (event.type === 'output' || event.type === 'resize') return this.#shown(event, at);
    return undefined;
  }

  /** Resolves when the emulator is loaded, if it is being loaded. */
  async loaded(): Promise<void> {
    await this.#loading;
  }

  [Symbol.dispose](): void {
    for (const terminal of [...this.#tracks.keys()]) this.#end(terminal);
  }

  #shown(
    event: Extract<RecordingEvent, { readonly type: 'output' | 'resize' }>,
    at: number,
  ): KeyframeEvent | undefined {
    const track = this.#tracks.get(event.terminal);
    if (track === undefined) return undefined;
    track.add(event.type === 'output' ? event.data : boundSize(event.columns, event.rows));
    if (this.#make === undefined) {
      if (track.pendingCharacters > recordingLimits.keyframePendingCharacters) this.#end(event.terminal);
      if (track.sinceLast >= recordingLimits.keyframeEveryCharacters / 2)
        this.#loading ??= this.#startLoading();
      return undefined;
    }
    track.show(this.#make);
    return track.keyframe(at);
  }

  async #startLoading(): Promise<void> {
    try {
      this.#make = await this.#load();
    } catch {
      // A recording without keyframes is whole: only slower to open at an instant.
      this[Symbol.dispose]();
    }
  }

  #end(terminal: number): void {
    this.#tracks.get(terminal)?.[Symbol.dispose]();
    this.#tracks.delete(terminal);
  }
}

/** One terminal. */
class Track implements Disposable {
  readonly #terminal: number;
  #size: { readonly columns: number; readonly rows: number };
  #pending: Pending[] = [];
  #screen: HeadlessScreen | undefined;
  #lastAt = Number.NEGATIVE_INFINITY;
  pendingCharacters = 0;
  /** Characters since the last keyframe. */
  sinceLast = 0;

  constructor(terminal: number, { columns, rows }: { readonly columns: number; readonly rows: number }) {
    this.#terminal = terminal;
    this.#size = boundSize(columns, rows);
    this.#pending.push(this.#size);
  }

  add(pending: Pending): void {
    if (typeof pending !== 'string') {
      // Of sizes without output between them, the last one counts.
      if (typeof this.#pending.at(-1) === 'object' && this.#pending.length > 1) this.#pending.pop();
      this.#size = pending;
    }
    this.#pending.push(pending);
    if (typeof pending === 'string') {
      this.pendingCharacters += pending.length;
      this.sinceLast += pending.length;
    }
  }

  show(make: MakeScreen): void {
    for (const each of this.#pending) {
      if (typeof each === 'string') this.#screen?.write(each);
      else if (this.#screen === undefined) this.#screen = make(each.columns, each.rows);
      else this.#screen.resize(each.columns, each.rows);
    }
    this.#pending = [];
    this.pendingCharacters = 0;
  }

  keyframe(at: number): KeyframeEvent | undefined {
    const isDue =
      this.sinceLast >= recordingLimits.keyframeEveryCharacters &&
      at - this.#lastAt >= recordingLimits.keyframeEverySeconds;
    if (!isDue || this.#screen === undefined) return undefined;
    this.sinceLast = 0;
    this.#lastAt = at;
    const data = this.#screen.paint();
    if (data.length > recordingLimits.keyframeCharacters) return undefined;
    return { type: 'keyframe', terminal: this.#terminal, ...this.#size, data };
  }

  [Symbol.dispose](): void {
    this.#screen?.[Symbol.dispose]();
    this.#pending = [];
  }
}
