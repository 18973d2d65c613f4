import {
  type CSSResultGroup,
  css,
  html,
  LitElement,
  nothing,
  type PropertyDeclarations,
  type TemplateResult,
} from 'lit';
import { type ErrorData, SandboxError } from '../../../protocol/errors.ts';
import type { SnapshotId } from '../../../tree/history/snapshot-record.ts';
import { Watch } from '../model/watch.ts';
import { sharedStyles } from '../shared.styles.ts';
import type { Continuation, ContinueChoice, ContinuePoint } from './continuation.ts';
import type { ReplayModel } from './replay-model.ts';

/** *Continue from here*: says where a live sandbox would run and from what, and makes one at the snapshot that is shown. */
export class ContinueButton extends LitElement {
  static override readonly properties: PropertyDeclarations = {
    model: { attribute: false },
    continuation: { attribute: false },
  };
  static override readonly styles: CSSResultGroup = [
    sharedStyles,
    css`
      :host {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: var(--cp-space-1) var(--cp-space-2);
        min-width: 0;
      }
      .where {
        font-size: var(--cp-small-size);
      }
      select {
        max-width: 22em;
        min-height: var(--cp-control-height);
        border: 1px solid var(--cp-control-line);
        border-radius: var(--cp-radius);
        background: var(--cp-raised);
        font-size: var(--cp-small-size);
      }
      coppice-problem {
        flex-basis: 100%;
      }
    `,
  ];

  declare model: ReplayModel | undefined;
  declare continuation: Continuation | undefined;
  #chosen: string | undefined;
  #progress: string | undefined;
  #problem: ErrorData | undefined;
  #work = new AbortController();
  #prepared: string | undefined;

  constructor() {
    super();
    new Watch(this, () => this.model);
    new Watch(this, () => this.continuation);
  }

  /** Continues as the button would. */
  go(): void {
    const choice = this.#choice();
    if (choice !== undefined) void this.#go(choice);
  }

  override render(): TemplateResult | typeof nothing {
    const point = this.#point();
    const choices = this.#choices();
    const choice = this.#choice();
    if (this.continuation === undefined || !this.model?.isWhole) return nothing;
    if (point === undefined) return html`<span class="where muted">No files were recorded up to here.</span>`;
    if (this.#progress !== undefined)
      return html`<span role="status">${this.#progress}</span>
        <button class="outlined" @click=${this.#cancel}>Cancel</button>`;
    return html`
      <button
        class="primary"
        ?disabled=${choice === undefined}
        @click=${this.go}
        @pointerenter=${this.#prepare}
        @focus=${this.#prepare}
      >
        Continue from here
      </button>
      ${
        choices.length > 1
          ? html`<select aria-label="Where to continue" @change=${this.#onChoice}>
              ${choices.map(
                ({ id, label, isRefused = false }) =>
                  html`<option value=${id} ?selected=${id === choice?.id} ?disabled=${isRefused}>${label}</option>`,
              )}
            </select>`
          : html`<span class="where muted">${choice?.label}</span>`
      }
      ${
        this.continuation.openHosts === undefined
          ? nothing
          : html`<button class="outlined" @click=${this.#openHosts}>Hosts</button>`
      }
      <coppice-problem .error=${this.#problem} dismissible @dismiss=${this.#dismiss}></coppice-problem>
    `;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#work.abort();
  }

  #point(): ContinuePoint | undefined {
    const { recording, head, session } = this.model?.state ?? {};
    if (recording === undefined || head === undefined) return undefined;
    const step = session?.steps.find(({ snapshot }) => snapshot?.id === head);
    if (step?.snapshot === undefined) return undefined;
    const { hasMemory = false } = step.snapshot;
    return { header: recording.header, snapshot: head as SnapshotId, hasMemory };
  }

  #choices(): readonly ContinueChoice[] {
    const point = this.#point();
    return point === undefined ? [] : (this.continuation?.choices(point) ?? []);
  }

  #choice(): ContinueChoice | undefined {
    const possible = this.#choices().filter(({ isRefused }) => !isRefused);
    return possible.find(({ id }) => id === this.#chosen) ?? possible[0];
  }

  #openHosts(): void {
    this.continuation?.openHosts?.();
  }

  #onChoice(event: Event): void {
    this.#chosen = (event.target as HTMLSelectElement).value;
    this.#prepare();
    this.requestUpdate();
  }

  #prepare(): void {
    const choice = this.#choice();
    const point = this.#point();
    if (choice === undefined || point === undefined || this.#prepared === choice.id) return;
    this.#prepared = choice.id;
    this.continuation?.prepare(choice, point);
  }

  async #go(choice: ContinueChoice): Promise<void> {
    const point = this.#point();
    const recorded = this.model?.sandbox?.connection;
    if (point === undefined || recorded === undefined || this.continuation === undefined) return;
    this.model?.pause();
    this.#work = new AbortController();
    const { signal } = this.#work;
    this.#tell('Continuing …');
    try {
      const onProgress = (text: string): void => this.#tell(text);
      await this.continuation.go(choice, { point, recorded, signal, onProgress });
    } catch (error) {
      if (!signal.aborted) this.#problem = SandboxError.from(error).toData();
    }
    this.#tell(undefined);
  }

  #cancel(): void {
    this.#work.abort();
    this.#tell(undefined);
  }

  #dismiss(): void {
    this.#problem = undefined;
    this.requestUpdate();
  }

  #tell(text: string | undefined): void {
    this.#progress = text;
    this.requestUpdate();
  }
}
