import { SandboxError } from '../../../protocol/errors.ts';
import type { RecordingEvent } from '../../../recording/format/recording-event.ts';
import type { Found } from '../../../recording/read/recording.ts';
import type { SnapshotId } from '../../../tree/history/snapshot-record.ts';
import type { OpenedRecording, ReplayLink, ReplaySource } from '../../transports/replay-link.ts';
import { SandboxModel } from '../model/sandbox-model.ts';
import { Playback, type ReplayScreen } from './playback.ts';
import { initialReplayState, type ReplayState, speeds } from './replay-state.ts';
import { lastAt, readSession } from './session-steps.ts';

const sessionGrowth = 1.25;

/**
 * A recording as the player's elements see it: its state, a `change` event when that changes, and a `time` event whenever the
 * instant that is shown has moved. Nothing here rejects: what fails is in `state.problem`. Owns what reads the recording until it is
 * disposed of.
 */
export class ReplayModel extends EventTarget implements Disposable {
  readonly #openLink: () => ReplayLink;
  #link: ReplayLink | undefined;
  #opening = new AbortController();
  #state: ReplayState = initialReplayState;
  #playback: Playback | undefined;
  #screen: ReplayScreen | undefined;
  #sandbox: SandboxModel | undefined;
  #frame: number | undefined;
  #announced = false;
  /** Of how many landmarks the session was put together. */
  #sessionOf = 0;

  constructor(openLink: () => ReplayLink) {
    super();
    this.#openLink = openLink;
  }

  get state(): ReplayState {
    return this.#state;
  }

  /** Seconds since the recording began. */
  get at(): number {
    return this.#playback?.at ?? 0;
  }

  /** Of what is known of the recording. */
  get duration(): number {
    return this.#state.recording?.duration ?? 0;
  }

  /** Whether all of the recording is known. */
  get isWhole(): boolean {
    const { recording } = this.#state;
    return recording !== undefined && recording.progress === undefined;
  }

  /** The snapshots of the recording, as a sandbox that can only be read; `undefined` where it has none, and until all is known. */
  get sandbox(): SandboxModel | undefined {
    return this.#sandbox;
  }

  /** Reads parts of it for small pictures. */
  get link(): ReplayLink | undefined {
    return this.#state.phase === 'ready' ? this.#link : undefined;
  }

  /** Opens a recording in place of the one before, and shows it at `at` seconds. */
  async open(source: ReplaySource, { at = 0 }: { readonly at?: number } = {}): Promise<void> {
    this.#close();
    const { signal } = this.#opening;
    const link = this.#openLink();
    this.#link = link;
    const { speed, skipsIdle } = this.#state;
    this.#set({ ...initialReplayState, speed, skipsIdle, phase: 'opening' });
    this.#sessionOf = 0;
    try {
      const recording = await link.open(source, { signal });
      if (signal.aborted) return;
      this.#playback = new Playback({
        link,
        known: () => ({ duration: this.duration, isWhole: this.isWhole }),
        nextStepAt: (from) => {
          const { steps } = this.#state.session;
          return steps[lastAt(steps, from) + 1]?.at ?? Infinity;
        },
        onTime: () => this.#noteTime(),
        onError: (error) => this.#fail(error),
      });
      const session = readSession(recording.header, recording.landmarks);
      this.#update({ phase: 'ready', recording, session });
      this.#playback.drawOn(this.#screen);
      this.seek(at);
      void this.#grow(link, signal);
    } catch (error) {
      if (signal.aborted) return;
      this.#update({ phase: 'failed', problem: SandboxError.from(error).toData() });
    }
  }

  /** Learns the rest of the recording, and what its files are once that is all there. */
  async #grow(link: ReplayLink, signal: AbortSignal): Promise<void> {
    try {
      for (let { recording } = this.#state; recording?.progress !== undefined; ) {
        const more = await link.more(recording.landmarks.length);
        if (signal.aborted) return;
        const landmarks = [...recording.landmarks, ...more.landmarks];
        recording = { ...more, header: recording.header, landmarks };
        this.#extend(recording);
      }
      if (this.#state.session.heads.length > 0) this.#openSandbox(link);
      this.#selectHead();
    } catch (error) {
      if (!signal.aborted) this.#fail(error);
    }
  }

  #extend(recording: OpenedRecording): void {
    const { landmarks, progress } = recording;
    // Each time a quarter more: what is put together again is then no more than some times the whole.
    const isDue = progress === undefined || landmarks.length > this.#sessionOf * sessionGrowth;
    if (isDue) this.#sessionOf = landmarks.length;
    const session = isDue ? readSession(recording.header, landmarks) : this.#state.session;
    this.#update({ recording, session });
    this.#playback?.extend();
    this.#noteTime();
  }

  /** Draws on `screen` from now on. */
  drawOn(screen: ReplayScreen | undefined): void {
    this.#screen = screen;
    this.#playback?.drawOn(screen);
  }

  /** Shows an instant, in seconds, of a terminal. Resolves when it is drawn, or a later one that was asked for. */
  async seek(at: number, terminal: number = this.#state.terminal): Promise<void> {
    if (this.#playback === undefined || !Number.isFinite(at)) return;
    const drawn = this.#playback.seek(at);
    this.#noteTime();
    if (terminal !== this.#state.terminal) this.showTerminal(terminal);
    await drawn;
    this.#noteTime();
    this.dispatchEvent(new Event('sought'));
  }

  /** Shows the next or the previous step. */
  step(by: 1 | -1, isWanted: (kind: string) => boolean = () => true): void {
    const { steps } = this.#state.session;
    // Going back from just after a step's beginning leads to the one before.
    const from = by > 0 ? lastAt(steps, this.at) : lastAt(steps, this.at - 0.001) + 1;
    for (let index = from + by; index >= 0 && index < steps.length; index += by) {
      const step = steps[index];
      if (step === undefined || !isWanted(step.kind)) continue;
      if (by > 0 && step.at <= this.at) continue;
      void this.seek(step.at, step.terminal);
      return;
    }
  }

  showTerminal(terminal: number): void {
    this.#update({ terminal });
    void this.#playback?.showTerminal(terminal);
  }

  /** From the beginning again where it is at its end. */
  play(): void {
    if (this.#playback === undefined || this.#state.isPlaying) return;
    if (this.#playback.isAtEnd) void this.seek(0);
    this.#update({ isPlaying: true });
    let before = performance.now();
    const onFrame = (now: number): void => {
      this.#frame = requestAnimationFrame(onFrame);
      this.#playback?.advance((now - before) / 1000, this.#state);
      before = now;
      const isWaiting = this.#playback?.isWaiting ?? false;
      if (isWaiting !== this.#state.isWaiting) this.#update({ isWaiting });
      if (this.#playback?.isAtEnd) this.pause();
    };
    this.#frame = requestAnimationFrame(onFrame);
  }

  pause(): void {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#frame = undefined;
    if (!this.#state.isPlaying) return;
    this.#update({ isPlaying: false, isWaiting: false });
    this.dispatchEvent(new Event('sought'));
  }

  setSpeed(speed: number): void {
    if (speeds.some((known) => known === speed)) this.#update({ speed });
  }

  setSkipsIdle(skipsIdle: boolean): void {
    this.#update({ skipsIdle });
  }

  /** All of an event that a list shows a part of. */
  async whole(line: number): Promise<RecordingEvent | undefined> {
    return this.#link?.whole(line).catch((error) => this.#fail(error));
  }

  /** Where a text is. @throws aborted, and what the worker throws */
  async search(text: string, signal: AbortSignal): Promise<readonly Found[]> {
    return (await this.link?.search(text, { signal })) ?? [];
  }

  /** Has files that are in the image only read from the site's copy of it. */
  async useImage(): Promise<void> {
    if (this.#state.usesImage !== 'no') return;
    this.#update({ usesImage: 'loading' });
    try {
      await this.#link?.useImage();
      this.#update({ usesImage: 'yes' });
      // The panels read again what they could not show.
      if (this.#link !== undefined) this.#openSandbox(this.#link);
      this.#selectHead();
    } catch (error) {
      this.#update({ usesImage: 'no' });
      this.#fail(error);
    }
  }

  dismissProblem(): void {
    this.#update({ problem: undefined });
  }

  [Symbol.dispose](): void {
    this.#close();
  }

  #openSandbox(link: ReplayLink): void {
    void this.#sandbox?.close();
    this.#sandbox = new SandboxModel(() => link.connect());
    void this.#sandbox.start({ readOnly: true });
  }

  #noteTime(): void {
    const { session, step, head } = this.#state;
    const nextStep = lastAt(session.steps, this.at);
    const nextHead = session.heads[lastAt(session.heads, this.at)]?.id;
    const awaited = this.#playback?.awaited;
    if (nextStep !== step || nextHead !== head || awaited !== this.#state.awaited)
      this.#update({ step: nextStep, head: nextHead, awaited });
    if (nextHead !== head) this.#selectHead();
    this.dispatchEvent(new Event('time'));
  }

  #selectHead(): void {
    const { head } = this.#state;
    this.#sandbox?.select(head === undefined ? 'now' : (head as SnapshotId));
  }

  #close(): void {
    this.pause();
    this.#opening.abort();
    this.#opening = new AbortController();
    this.#playback = undefined;
    void this.#sandbox?.close();
    this.#sandbox = undefined;
    this.#link?.[Symbol.dispose]();
    this.#link = undefined;
  }

  #fail(error: unknown): undefined {
    this.#update({ problem: SandboxError.from(error).toData() });
  }

  #update(change: Partial<ReplayState>): void {
    this.#set({ ...this.#state, ...change });
  }

  #set(state: ReplayState): void {
    this.#state = state;
    if (this.#announced) return;
    this.#announced = true;
    queueMicrotask(() => {
      this.#announced = false;
      this.dispatchEvent(new Event('change'));
    });
  }
}
