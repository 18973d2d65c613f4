import {
  type CSSResultGroup,
  html,
  LitElement,
  nothing,
  type PropertyDeclarations,
  type TemplateResult,
} from 'lit';
import { dialogStyles } from '../dialog.styles.ts';
import { act } from '../model/actions.ts';
import type { SandboxChoice } from '../model/sandbox-choices.ts';
import { sharedStyles } from '../shared.styles.ts';
import { plainLine } from '../text/describe-snapshot.ts';
import { newSandboxStyles } from './new-sandbox.styles.ts';

/** The choice of what runs a new sandbox: what each place does, what it costs, and why it is unavailable. */
export class NewSandbox extends LitElement {
  static override readonly properties: PropertyDeclarations = { choices: { attribute: false } };
  static override readonly styles: CSSResultGroup = [sharedStyles, dialogStyles, newSandboxStyles];

  declare choices: readonly SandboxChoice[];
  #chosen = '';

  constructor() {
    super();
    this.choices = [];
  }

  /** Shows it with the choice of key `chosen` selected, or the first one; Enter makes that. */
  async open(chosen: string): Promise<void> {
    const usable = this.choices.filter((choice) => choice.unavailable === undefined);
    this.#chosen = (usable.find(({ key }) => key === chosen) ?? usable[0])?.key ?? '';
    this.requestUpdate();
    await this.updateComplete;
    const dialog = this.#dialog();
    if (!dialog.open) dialog.showModal();
    this.renderRoot.querySelector<HTMLInputElement>('input:checked')?.focus();
  }

  override render(): TemplateResult {
    const chosen = this.#choice();
    return html`<dialog aria-labelledby="title" @click=${this.#onBackdrop}>
      <form @submit=${this.#onSubmit}>
        <header>
          <h2 id="title">New sandbox</h2>
          <button type="button" class="icon" aria-label="Close" @click=${() => this.#dialog().close()}>×</button>
        </header>
        <fieldset>
          <legend class="hidden-text">Where it runs</legend>
          ${this.choices.map((choice) => this.#renderChoice(choice))}
        </fieldset>
        <footer>
          <button type="button" class="outlined" @click=${this.#addHost}>Hosts …</button>
          ${chosen === undefined || chosen.images.length === 0 ? nothing : renderImages(chosen)}
          <button class="primary" ?disabled=${chosen === undefined}>Create</button>
        </footer>
      </form>
    </dialog>`;
  }

  #renderChoice({ key, title, place, can, costs, unavailable }: SandboxChoice): TemplateResult {
    const isOff = unavailable !== undefined;
    return html`<label class=${isOff ? 'choice off' : 'choice'}>
      <input
        type="radio"
        name="place"
        value=${key}
        .checked=${key === this.#chosen}
        ?disabled=${isOff}
        aria-label=${`${title} ${place}`}
        aria-describedby=${`about-${key}`}
        @change=${() => this.#choose(key)}
      />
      <span class="title"><strong>${title}</strong> <span class="muted">${plainLine(place, 80)}</span></span>
      <span class="about" id=${`about-${key}`}>
        ${can} <span class="muted">${costs}</span>
        ${isOff ? html`<span class="why">${plainLine(unavailable, 300)}</span>` : nothing}
      </span>
    </label>`;
  }

  #choose(key: string): void {
    this.#chosen = key;
    this.requestUpdate();
  }

  /** The selected choice, unless its host has become unavailable since. */
  #choice(): SandboxChoice | undefined {
    return this.choices.find(({ key, unavailable }) => key === this.#chosen && unavailable === undefined);
  }

  #onSubmit(event: SubmitEvent): void {
    event.preventDefault();
    const choice = this.#choice();
    if (choice === undefined) return;
    const image = this.renderRoot.querySelector('select')?.value;
    this.#dialog().close();
    act(this, { ...choice.action, ...(image ? { image } : {}) });
  }

  #addHost(): void {
    this.#dialog().close();
    act(this, { type: 'open-bridges' });
  }

  #onBackdrop(event: Event): void {
    if (event.target === this.#dialog()) this.#dialog().close();
  }

  #dialog(): HTMLDialogElement {
    return this.renderRoot.querySelector('dialog') as HTMLDialogElement;
  }
}

function renderImages({ images }: SandboxChoice): TemplateResult {
  return html`<label>
    Image
    <select aria-label="Image">
      ${images.map(
        ({ name, architecture, isDefault }) =>
          html`<option value=${name} ?selected=${isDefault}>${plainLine(name, 60)}${architecture === 'amd64' ? ', for 64-bit programs' : ''}</option>`,
      )}
    </select>
  </label>`;
}
