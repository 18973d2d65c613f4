import { html, nothing, type TemplateResult } from 'lit';
import { SandboxError } from '../../../protocol/errors.ts';
import type { Found } from '../../../recording/read/recording.ts';
import { plainLine } from '../text/describe-snapshot.ts';
import { spellTime } from './describe-time.ts';
import type { ReplayModel } from './replay-model.ts';

const pauseMs = 150;
const mostCharacters = 200;

/** A search in all of a recording's texts, and the list of what it has found. */
export class ReplaySearch {
  readonly #onChange: () => void;
  #text = '';
  #found: readonly Found[] | undefined;
  #problem = '';
  #index = -1;
  #work = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** What is searched for; empty for nothing. */
  get text(): string {
    return this.#text;
  }

  /** Searches once there is a pause in typing; the search before it ends. */
  ask(model: ReplayModel | undefined, text: string): void {
    this.#work.abort();
    this.#work = new AbortController();
    clearTimeout(this.#timer);
    this.#text = text.trim().slice(0, mostCharacters);
    this.#found = undefined;
    this.#problem = '';
    this.#index = -1;
    this.#onChange();
    if (this.#text === '' || model === undefined) return;
    const { signal } = this.#work;
    this.#timer = setTimeout(() => void this.#search(model, signal), pauseMs);
  }

  /** Goes to what was found next, or before. */
  go(model: ReplayModel | undefined, by: 1 | -1): void {
    const found = this.#found ?? [];
    if (found.length === 0 || model === undefined) return;
    this.#index = this.#index < 0 ? 0 : (this.#index + by + found.length) % found.length;
    this.#show(model, this.#index);
  }

  render(model: ReplayModel | undefined): TemplateResult {
    const found = this.#found;
    const count = found?.length ?? 0;
    return html`
      <p class="count muted" role="status">
        ${this.#problem !== '' ? this.#problem : found === undefined ? 'Searching …' : count === 1 ? '1 place' : `${count} places`}
      </p>
      <ol aria-label="What was found">
        ${found?.map(
          (
            { at, where, excerpt },
            index,
          ) => html`<li aria-current=${index === this.#index ? 'true' : nothing}>
            <button class="go" @click=${() => model && this.#show(model, index)}>
              <span class="where muted">${where}</span>
              <span class="text found">${this.#mark(excerpt)}</span>
              <span class="at number muted">${spellTime(at)}</span>
            </button>
          </li>`,
        )}
      </ol>
    `;
  }

  #mark(excerpt: string): TemplateResult {
    const text = plainLine(excerpt, 200);
    const at = text.toLowerCase().indexOf(this.#text.toLowerCase());
    if (at < 0) return html`${text}`;
    const end = at + this.#text.length;
    return html`${text.slice(0, at)}<mark>${text.slice(at, end)}</mark>${text.slice(end)}`;
  }

  #show(model: ReplayModel, index: number): void {
    const found = this.#found?.[index];
    if (found === undefined) return;
    this.#index = index;
    this.#onChange();
    model.pause();
    void model.seek(found.at);
  }

  async #search(model: ReplayModel, signal: AbortSignal): Promise<void> {
    try {
      const found = await model.search(this.#text, signal);
      if (!signal.aborted) this.#found = found;
    } catch (error) {
      if (!signal.aborted) this.#problem = plainLine(SandboxError.from(error).message);
    }
    if (!signal.aborted) this.#onChange();
  }
}
