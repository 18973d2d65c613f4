import xtermCss from '@xterm/xterm/css/xterm.css?inline';
import {
  type CSSResultGroup,
  html,
  LitElement,
  nothing,
  type PropertyDeclarations,
  svg,
  type TemplateResult,
  unsafeCSS,
} from 'lit';
import { styleMap } from 'lit/directives/style-map.js';
import { Watch } from '../model/watch.ts';
import { sharedStyles } from '../shared.styles.ts';
import { plainLine } from '../text/describe-snapshot.ts';
import { sayTime, spellTime } from './describe-time.ts';
import type { ReplayModel } from './replay-model.ts';
import { replayTimelineStyles } from './replay-timeline.styles.ts';
import { lastAt, type Step } from './session-steps.ts';
import { type TimelineMarks, timelineMarks } from './timeline-marks.ts';
import { TimelinePicture } from './timeline-picture.ts';

const heightPx = 24;
const arrowSeconds = 5;
const pageSeconds = 60;

/** The time of a recording: marks for snapshots, commands and chapters; a click or a drag goes there, the pointer shows a small picture. */
export class ReplayTimeline extends LitElement {
  static override readonly properties: PropertyDeclarations = { model: { attribute: false } };
  static override readonly styles: CSSResultGroup = [sharedStyles, unsafeCSS(xtermCss), replayTimelineStyles];

  declare model: ReplayModel | undefined;
  /** Where the pointer is, from 0 to 1. */
  #hovered: number | undefined;
  #marksOf: { readonly steps: readonly Step[]; readonly duration: number } | undefined;
  #marks: TimelineMarks = { snapshots: '', commands: '', failures: '', chapters: [] };
  #picture: TimelinePicture | undefined;
  #timed: ReplayModel | undefined;
  readonly #onTime = (): void => this.#moveCursor();

  constructor() {
    super();
    new Watch(this, () => this.model);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#picture?.[Symbol.dispose]();
    this.#picture = undefined;
    this.#timed?.removeEventListener('time', this.#onTime);
    this.#timed = undefined;
  }

  override focus(): void {
    this.renderRoot.querySelector<HTMLElement>('[role=slider]')?.focus();
  }

  override render(): TemplateResult {
    const { at = 0, duration = 0 } = this.model ?? {};
    const { snapshots, commands, failures, chapters } = this.#placed();
    return html`
      <div
        role="slider"
        tabindex="0"
        aria-label="Time"
        aria-valuemin="0"
        aria-valuemax=${Math.ceil(duration)}
        aria-valuenow=${Math.floor(at)}
        aria-valuetext=${`${sayTime(at)} of ${sayTime(duration)}`}
        @keydown=${this.#onKey}
        @pointerdown=${this.#onDown}
        @pointermove=${this.#onMove}
        @pointerleave=${this.#onLeave}
      >
        <svg viewBox=${`0 0 1000 ${heightPx}`} preserveAspectRatio="none" aria-hidden="true">
          ${svg`
            <path class="commands" d=${commands} />
            <path class="failures" d=${failures} />
            <path class="snapshots" d=${snapshots} />`}
        </svg>
        <div class="done"></div>
        ${chapters.map(({ left, text }, index) => {
          const width = (chapters[index + 1]?.left ?? 1) - left;
          const style = styleMap({ left: `${left * 100}%`, width: `${width * 100}%` });
          return html`<span class="chapter ellipsis" aria-hidden="true" style=${style}
            >${width > 0.04 ? plainLine(text, 60) : nothing}</span
          >`;
        })}
        <div class="cursor"></div>
      </div>
      <div class="picture" aria-hidden="true" inert ?hidden=${this.#hovered === undefined}>
        <div class="frame"></div>
        <p class="number ellipsis">${this.#hovered === undefined ? nothing : this.#describe(this.#hovered)}</p>
      </div>
    `;
  }

  override updated(): void {
    if (this.model !== this.#timed) {
      this.#timed?.removeEventListener('time', this.#onTime);
      this.#timed = this.model;
      this.model?.addEventListener('time', this.#onTime);
    }
    this.#moveCursor();
  }

  /** Each frame while it plays: without drawing the marks anew. */
  #moveCursor(): void {
    const { at = 0, duration = 0 } = this.model ?? {};
    this.style.setProperty('--at', String(duration > 0 ? at / duration : 0));
    const slider = this.renderRoot.querySelector('[role=slider]');
    if (slider?.getAttribute('aria-valuenow') === String(Math.floor(at))) return;
    slider?.setAttribute('aria-valuenow', String(Math.floor(at)));
    slider?.setAttribute('aria-valuetext', `${sayTime(at)} of ${sayTime(duration)}`);
  }

  #placed(): TimelineMarks {
    const { duration = 0, state } = this.model ?? {};
    const steps = state?.session.steps ?? [];
    if (steps !== this.#marksOf?.steps || duration !== this.#marksOf.duration) {
      this.#marksOf = { steps, duration };
      this.#marks = timelineMarks(steps, { duration, heightPx });
    }
    return this.#marks;
  }

  #describe(hovered: number): string {
    const { model } = this;
    if (model === undefined) return '';
    const at = hovered * model.duration;
    const { steps } = model.state.session;
    const step = steps[lastAt(steps, at)];
    const time = spellTime(at);
    return step === undefined ? time : `${time} · ${plainLine(step.text, 60)}`;
  }

  #onKey(event: KeyboardEvent): void {
    const { model } = this;
    if (model === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const { at, duration } = model;
    const places: Readonly<Record<string, number>> = {
      ArrowLeft: at - arrowSeconds,
      ArrowRight: at + arrowSeconds,
      PageUp: at - pageSeconds,
      PageDown: at + pageSeconds,
      Home: 0,
      End: duration,
    };
    const place = places[event.key];
    if (place === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    void model.seek(place);
  }

  #onDown(event: PointerEvent): void {
    if (event.button !== 0) return;
    (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
    this.#seek(event);
  }

  #onMove(event: PointerEvent): void {
    if (event.buttons === 1) this.#seek(event);
    if (event.pointerType === 'mouse') this.#hover(this.#under(event));
  }

  #onLeave(): void {
    this.#hovered = undefined;
    this.requestUpdate();
  }

  #seek(event: PointerEvent): void {
    void this.model?.seek(this.#under(event) * this.model.duration);
  }

  #hover(place: number): void {
    this.#hovered = place;
    this.style.setProperty('--hovered', String(place));
    this.requestUpdate();
    const frame = this.renderRoot.querySelector<HTMLElement>('.frame');
    const { model } = this;
    if (frame === null || model === undefined) return;
    this.#picture ??= new TimelinePicture(frame, this.renderRoot as ShadowRoot);
    this.#picture.show({ model, at: place * model.duration });
  }

  #under(event: PointerEvent): number {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    return Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
  }
}
