import {
  type CSSResultGroup,
  html,
  LitElement,
  nothing,
  type PropertyDeclarations,
  type TemplateResult,
} from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { Watch } from '../model/watch.ts';
import { panelStyles, sharedStyles } from '../shared.styles.ts';
import type { ReplayModel } from './replay-model.ts';
import { ReplaySearch } from './replay-search.ts';
import { replayStepsStyles } from './replay-steps.styles.ts';
import { type Step, type StepKind, stepKinds, textOf } from './session-steps.ts';
import { stepRow } from './step-row.ts';

const names: Readonly<Record<StepKind, string>> = {
  command: 'Commands',
  call: 'Tools',
  message: 'Messages',
  chapter: 'Chapters',
  snapshot: 'Snapshots',
  note: 'Notes',
};
/** Rows that are drawn on either side of the one that is shown. */
const rowsAround = 50;

/** What happened in a session, in order: commands, tools, messages, chapters and snapshots, with the one that is shown marked; and a search. */
export class ReplaySteps extends LitElement {
  static override readonly properties: PropertyDeclarations = { model: { attribute: false } };
  static override readonly styles: CSSResultGroup = [sharedStyles, panelStyles, replayStepsStyles];

  declare model: ReplayModel | undefined;
  #kind: StepKind | undefined;
  #listOf: unknown;
  #list: readonly Step[] = [];
  #extra = { before: 0, after: 0 };
  #followed: Step | undefined;
  #following: number | undefined;
  /** All texts of steps whose row has a part of them, by their lines. */
  readonly #whole = new Map<number, string>();
  readonly #search = new ReplaySearch(() => this.requestUpdate());

  constructor() {
    super();
    new Watch(this, () => this.model);
  }

  override focus(): void {
    this.renderRoot.querySelector<HTMLElement>('input')?.focus();
  }

  override render(): TemplateResult {
    const { model } = this;
    return html`
      <form role="search" @submit=${(event: Event) => event.preventDefault()}>
        <input
          type="search"
          placeholder="Search output and messages"
          aria-label="Search output and messages"
          autocomplete="off"
          spellcheck="false"
          @input=${(event: Event) => this.#search.ask(model, (event.target as HTMLInputElement).value)}
          @keydown=${this.#onSearchKey}
        />
      </form>
      ${this.#search.text === '' ? this.#renderSteps() : this.#search.render(model)}
    `;
  }

  override updated(): void {
    const step = this.#current();
    if (step === this.#followed) return;
    this.#followed = step;
    // With the next frame, which lays out the page anyway.
    this.#following ??= requestAnimationFrame(() => {
      this.#following = undefined;
      this.#follow();
    });
  }

  /** Keeps the step that is shown in view, unless the list is being read elsewhere. */
  #follow(): void {
    const list = this.renderRoot.querySelector<HTMLElement>('ol');
    const row = this.renderRoot.querySelector<HTMLElement>('[aria-current]');
    if (list === null || row === null || list.matches(':focus-within, :hover')) return;
    const top = row.offsetTop - list.offsetTop;
    if (top < list.scrollTop || top + row.offsetHeight > list.scrollTop + list.clientHeight)
      list.scrollTop = top - list.clientHeight / 3;
  }

  #renderSteps(): TemplateResult {
    const list = this.#listed();
    const current = this.#current();
    const at = current === undefined ? 0 : Math.max(0, list.indexOf(current));
    const from = Math.max(0, at - rowsAround - this.#extra.before);
    const to = Math.min(list.length, at + rowsAround + this.#extra.after);
    return html`
      ${this.#renderKinds()}
      <ol aria-label="Steps of the session">
        ${from > 0 ? html`<li><button @click=${() => this.#showMore('before')}>Show ${from} earlier</button></li>` : nothing}
        ${repeat(
          list.slice(from, to),
          ({ line }) => line,
          (step) => this.#renderStep(step, step === current),
        )}
        ${to < list.length ? html`<li><button @click=${() => this.#showMore('after')}>Show ${list.length - to} later</button></li>` : nothing}
        ${list.length === 0 ? html`<li class="empty muted">Nothing of this kind was recorded.</li>` : nothing}
      </ol>
    `;
  }

  #renderKinds(): TemplateResult | typeof nothing {
    const steps = this.model?.state.session.steps ?? [];
    const there = stepKinds.filter((kind) => steps.some((step) => step.kind === kind));
    if (there.length < 2) return nothing;
    return html`<div class="kinds" role="group" aria-label="Which steps">
      <button aria-pressed=${this.#kind === undefined} @click=${() => this.#choose(undefined)}>All</button>
      ${there.map(
        (kind) =>
          html`<button aria-pressed=${this.#kind === kind} @click=${() => this.#choose(kind)}>${names[kind]}</button>`,
      )}
    </div>`;
  }

  #renderStep(step: Step, isCurrent: boolean): TemplateResult {
    return stepRow(step, {
      isCurrent,
      whole: this.#whole.get(step.line),
      go: () => void this.model?.seek(step.at, step.terminal),
      open: () => void this.#open(step),
    });
  }

  /** The steps of the chosen kind. */
  #listed(): readonly Step[] {
    const steps = this.model?.state.session.steps ?? [];
    if (this.#listOf !== steps) {
      this.#listOf = steps;
      const kind = this.#kind;
      this.#list = kind === undefined ? steps : steps.filter((step) => step.kind === kind);
      this.#whole.clear();
    }
    return this.#list;
  }

  /** The last listed step that has begun. */
  #current(): Step | undefined {
    const { session, step } = this.model?.state ?? {};
    if (session === undefined || step === undefined) return undefined;
    for (let index = step; index >= 0; index--) {
      const found = session.steps[index];
      if (found !== undefined && (this.#kind === undefined || found.kind === this.#kind)) return found;
    }
    return undefined;
  }

  #choose(kind: StepKind | undefined): void {
    this.#kind = kind;
    this.#listOf = undefined;
    this.#followed = undefined;
    this.#extra = { before: 0, after: 0 };
    this.requestUpdate();
  }

  #showMore(side: 'before' | 'after'): void {
    this.#extra = { ...this.#extra, [side]: this.#extra[side] + 2 * rowsAround };
    this.requestUpdate();
  }

  /** Shows all texts of a step, or the part again. */
  async #open(step: Step): Promise<void> {
    if (this.#whole.delete(step.line)) return this.requestUpdate();
    const [event, end] = await Promise.all([
      this.model?.whole(step.line),
      step.end && this.model?.whole(step.end.line),
    ]);
    const said =
      event && 'text' in event ? event.text : event?.type === 'call' ? textOf(event.arguments) : step.text;
    const result = end?.type === 'result' ? `\n\n${textOf(end.result)}` : '';
    this.#whole.set(step.line, said + result);
    this.requestUpdate();
  }

  #onSearchKey(event: KeyboardEvent): void {
    if (event.key === 'Escape') {
      (event.target as HTMLInputElement).value = '';
      this.#search.ask(this.model, '');
    } else if (event.key === 'Enter') this.#search.go(this.model, event.shiftKey ? -1 : 1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
