import { boundSize } from '../format/decode-event.ts';
import type { FolderSegment } from '../format/folder-index.ts';
import { firstTerminal, type RecordingEvent } from '../format/recording-event.ts';
import { recordingLimits } from '../limits.ts';
import type { HeadlessScreen, loadHeadlessScreen } from '../screen/headless-screen.ts';
import type { KeyframeEvent } from './keyframes.ts';

interface Shown {
  readonly screen: HeadlessScreen;
  columns: number;
  rows: number;
}

/** What the terminals of a recording show at an instant. */
export class Screens implements Disposable {
  readonly #make: Awaited<ReturnType<typeof loadHeadlessScreen>>;
  readonly #shown = new Map<number, Shown>();

  constructor(
    size: { readonly columns: number; readonly rows: number },
    make: Awaited<ReturnType<typeof loadHeadlessScreen>>,
  ) {
    this.#make = make;
    this.#open(firstTerminal, size);
  }

  add(event: RecordingEvent): void {
    if (event.type === 'terminal') {
      if (this.#shown.size < recordingLimits.keyframeTerminals) this.#open(event.terminal, event);
    } else if (event.type === 'terminal-end') this.#end(event.terminal);
    else if (event.type === 'output') this.#shown.get(event.terminal)?.screen.write(event.data);
    else if (event.type === 'resize') this.#resize(event);
  }

  /** What the first terminal shows, as a segment has it. */
  first(): FolderSegment['snapshot'] {
    const { columns, rows, data } = this.#paint(firstTerminal);
    return { cols: columns, rows, init: data };
  }

  /** Keyframes of the other terminals that are open. */
  others(): readonly KeyframeEvent[] {
    return [...this.#shown.keys()]
      .filter((terminal) => terminal !== firstTerminal)
      .map((each) => this.#paint(each));
  }

  [Symbol.dispose](): void {
    for (const { screen } of this.#shown.values()) screen[Symbol.dispose]();
  }

  #paint(terminal: number): KeyframeEvent {
    const { screen, columns = 80, rows = 24 } = this.#shown.get(terminal) ?? {};
    return { type: 'keyframe', terminal, columns, rows, data: screen?.paint() ?? '' };
  }

  #open(terminal: number, { columns, rows }: { readonly columns: number; readonly rows: number }): void {
    this.#end(terminal);
    const size = boundSize(columns, rows);
    this.#shown.set(terminal, { screen: this.#make(size.columns, size.rows), ...size });
  }

  #resize(event: Extract<RecordingEvent, { readonly type: 'resize' }>): void {
    const shown = this.#shown.get(event.terminal);
    if (shown === undefined) return;
    Object.assign(shown, boundSize(event.columns, event.rows));
    shown.screen.resize(shown.columns, shown.rows);
  }

  /** The first one stays: what it showed last is shown to the end. */
  #end(terminal: number): void {
    if (terminal === firstTerminal && this.#shown.has(terminal)) return;
    this.#shown.get(terminal)?.screen[Symbol.dispose]();
    this.#shown.delete(terminal);
  }
}
