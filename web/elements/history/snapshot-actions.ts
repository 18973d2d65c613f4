import {
  type CSSResultGroup,
  css,
  html,
  LitElement,
  nothing,
  type PropertyDeclarations,
  type PropertyValues,
  type TemplateResult,
} from 'lit';
import type { SnapshotInfo } from '../../../protocol/sandbox/history.ts';
import { act } from '../model/actions.ts';
import type { SandboxState } from '../model/sandbox-state.ts';
import { sharedStyles } from '../shared.styles.ts';
import { plainLine } from '../text/describe-snapshot.ts';

/** The actions on the selected snapshot, and the field for a tag. Fires `done` when the field closes. */
export class SnapshotActions extends LitElement {
  static override readonly properties: PropertyDeclarations = {
    snapshot: { attribute: false },
    state: { attribute: false },
    tagging: { type: Boolean },
  };
  static override readonly styles: CSSResultGroup = [
    sharedStyles,
    css`
      :host {
        display: flex;
        flex: none;
        flex-wrap: wrap;
        gap: 2px;
        padding: var(--cp-space-1) var(--cp-space-2);
        border-top: 1px solid var(--cp-line);
      }
      [role='toolbar'],
      form {
        display: flex;
        flex: 1;
        flex-wrap: wrap;
        gap: 2px;
      }
      [role='toolbar'] button {
        padding: 0 0.4375rem;
        border-color: var(--cp-control-line);
      }
      input {
        flex: 1;
        min-width: 6em;
      }
    `,
  ];

  declare snapshot: SnapshotInfo;
  declare state: SandboxState;
  declare tagging: boolean;

  override render(): TemplateResult {
    return this.tagging ? this.#renderTagForm() : this.#renderToolbar();
  }

  override updated(changed: PropertyValues): void {
    if (changed.has('tagging') && this.tagging) this.renderRoot.querySelector('input')?.focus();
  }

  #renderToolbar(): TemplateResult {
    const { id, tags } = this.snapshot;
    const { phase, readOnly, marked, history } = this.state;
    const frozen = phase !== 'ready' && phase !== 'failed';
    const kept = id === history?.head || tags.length > 0;
    return html`<div role="toolbar" aria-label="Selected snapshot">
      <button ?disabled=${frozen} @click=${() => act(this, { type: 'fork', id })}>Fork</button>
      <button @click=${() => act(this, { type: 'share', id })}>Share</button>
      <button ?disabled=${readOnly} @click=${this.#startTagging}>Tag</button>
      <button aria-pressed=${marked === id} @click=${() => act(this, { type: 'mark', id })}>Mark</button>
      ${
        marked !== undefined && marked !== id
          ? html`<button @click=${() => act(this, { type: 'compare', comparing: 'marked' })}>Compare</button>`
          : nothing
      }
      <button
        ?disabled=${kept || readOnly}
        title=${kept ? 'The current snapshot, and one with a tag, cannot be deleted' : ''}
        @click=${() => act(this, { type: 'remove', id })}
      >
        Delete
      </button>
    </div>`;
  }

  #renderTagForm(): TemplateResult {
    return html`
      ${this.snapshot.tags.map(
        (name) => html`<button
          class="outlined"
          aria-label=${`Remove tag ${plainLine(name, 80)}`}
          @click=${() => act(this, { type: 'untag', name })}
        >
          ${plainLine(name, 80)} <span aria-hidden="true">×</span>
        </button>`,
      )}
      <form @submit=${this.#submit} @keydown=${this.#onKey}>
        <input name="tag" aria-label="Tag name" placeholder="Tag name" maxlength="80" required autocomplete="off" />
        <button class="primary">Tag</button>
        <button type="button" @click=${this.#finish}>Cancel</button>
      </form>
    `;
  }

  #startTagging(): void {
    this.tagging = true;
  }

  #submit(event: SubmitEvent): void {
    event.preventDefault();
    const name = new FormData(event.target as HTMLFormElement).get('tag');
    if (typeof name !== 'string' || name.trim() === '') return;
    act(this, { type: 'tag', id: this.snapshot.id, name: name.trim() });
    this.#finish();
  }

  #onKey(event: KeyboardEvent): void {
    if (event.key === 'Escape') this.#finish();
  }

  #finish(): void {
    this.tagging = false;
    this.dispatchEvent(new Event('done'));
  }
}
