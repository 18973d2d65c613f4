import {
  type CSSResultGroup,
  html,
  LitElement,
  nothing,
  type PropertyDeclarations,
  type TemplateResult,
} from 'lit';
import type { JudgeText } from '../../../sdk/tournament/judge.ts';
import { dialogStyles } from '../dialog.styles.ts';
import { saveBlob } from '../files/save-file.ts';
import { act } from '../model/actions.ts';
import { Watch } from '../model/watch.ts';
import { sharedStyles } from '../shared.styles.ts';
import { plainLine } from '../text/describe-snapshot.ts';
import { renderCandidates } from './candidate-table.ts';
import type { Race } from './race.ts';
import { tournamentDialogStyles } from './tournament-dialog.styles.ts';

/** Time between two drawings of a race that runs. */
const drawEveryMs = 250;

/** Asks for candidates and a test, shows how they race, and what the winner is to be. Closed, it leaves a race going on. */
export class TournamentDialog extends LitElement {
  static override readonly properties: PropertyDeclarations = { race: { attribute: false } };
  static override readonly styles: CSSResultGroup = [sharedStyles, dialogStyles, tournamentDialogStyles];

  declare race: Race | undefined;
  #judge: 'first' | 'best' | 'lowest' = 'first';
  #clock: ReturnType<typeof setInterval> | undefined;

  constructor() {
    super();
    new Watch(this, () => this.race);
  }

  get isOpen(): boolean {
    return this.#dialog().open;
  }

  async open(): Promise<void> {
    this.requestUpdate();
    await this.updateComplete;
    const dialog = this.#dialog();
    if (!dialog.open) dialog.showModal();
    this.renderRoot.querySelector<HTMLElement>('textarea, .actions button')?.focus();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.#clock);
  }

  override updated(): void {
    clearInterval(this.#clock);
    if (this.race?.isRunning && this.isOpen) {
      this.#clock = setInterval(() => this.requestUpdate(), drawEveryMs);
    }
  }

  override render(): TemplateResult {
    const { race } = this;
    const name = plainLine(race?.pane?.state.info?.name ?? '', 60);
    const isForm = race === undefined || (race.candidates.length === 0 && !race.isRunning);
    return html`<dialog aria-labelledby="title" @click=${this.#onBackdrop}>
      <header>
        <h2 id="title">Race candidates in “${name}”</h2>
        <button class="icon" aria-label="Close" @click=${() => this.#dialog().close()}>×</button>
      </header>
      ${race?.error ? html`<section><coppice-problem .error=${race.error}></coppice-problem></section>` : nothing}
      <div ?hidden=${!isForm}>${this.#renderForm()}</div>
      ${race === undefined || isForm ? nothing : this.#renderRace(race)}
    </dialog>`;
  }

  /** It stays while a race is shown, with what was entered. */
  #renderForm(): TemplateResult {
    const canRun = (this.race?.pane?.state.checkpoints.length ?? 0) > 0;
    return html`<form @submit=${this.#onSubmit}>
      <label>
        Candidates, one a line
        <textarea name="candidates" class="mono" spellcheck="false" required placeholder="make -f fast.mk&#10;make -f small.mk"></textarea>
      </label>
      <label>
        Test, run after each in its own fork of this sandbox
        <input name="test" class="mono" spellcheck="false" autocomplete="off" required placeholder="make test" />
      </label>
      <div class="judge">
        <label>
          Winner
          <select name="judge" @change=${this.#onJudge}>
            <option value="first">The first that passes</option>
            <option value="best">The one with the largest number</option>
            <option value="lowest">The one with the smallest number</option>
          </select>
        </label>
        <label ?hidden=${this.#judge === 'first'}>
          The number in the test’s output
          <input
            name="pattern"
            class="mono"
            spellcheck="false"
            autocomplete="off"
            ?required=${this.#judge !== 'first'}
            placeholder="score: (\\d+) or json.score"
          />
        </label>
      </div>
      ${
        canRun
          ? html`<label class="check"><input type="checkbox" name="memory" />With what runs now, in each fork</label>`
          : nothing
      }
      <div class="actions">
        <p class="muted result">Each runs in a fork of its own. Losers are deleted at once.</p>
        <button class="primary">Race</button>
      </div>
    </form>`;
  }

  #renderRace(race: Race): TemplateResult {
    return html`<section>
      ${renderCandidates(race.candidates, Date.now())}
      <div class="actions">
        <p class="result" role="status">${race.isRunning ? 'The race is on.' : race.summary}</p>
        ${race.isRunning ? html`<button class="outlined" @click=${() => race.stop()}>Stop</button>` : this.#renderChoices(race)}
      </div>
    </section>`;
  }

  #renderChoices(race: Race): TemplateResult {
    return html`
      <button class="outlined" @click=${() => race.reset()}>Back</button>
      ${race.tournament ? html`<button class="outlined" @click=${() => this.#save(race)}>Save report</button>` : nothing}
      ${
        race.tournament?.snapshot === undefined
          ? nothing
          : html`<button class="outlined" @click=${() => this.#take('fork')}>Open winner in a pane</button>
              <button class="primary" @click=${() => this.#take('checkout')}>Go to the winner</button>`
      }
    `;
  }

  #onSubmit(event: SubmitEvent): void {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    const fields = new FormData(form);
    const text = (name: string): string => String(fields.get(name) ?? '');
    const judge: JudgeText = this.#judge === 'first' ? 'first' : `${this.#judge}:${text('pattern')}`;
    const candidates = text('candidates')
      .split('\n')
      .filter((line) => line.trim() !== '');
    void this.race?.run({ candidates, test: text('test'), judge, memory: fields.has('memory') });
  }

  #onJudge(event: Event): void {
    const { value } = event.target as HTMLSelectElement;
    this.#judge = value === 'best' || value === 'lowest' ? value : 'first';
    this.requestUpdate();
  }

  /** Goes to the winner, or opens it beside, in the pane whose race it was. */
  #take(type: 'checkout' | 'fork'): void {
    const { pane, tournament } = this.race ?? {};
    const id = tournament?.snapshot;
    if (pane === undefined || id === undefined) return;
    this.#dialog().close();
    act(this, { type: 'activate', pane });
    act(this, { type, id });
    this.race?.reset();
  }

  #save({ tournament }: Race): void {
    if (tournament === undefined) return;
    saveBlob('tournament.md', new Blob([tournament.toMarkdown()], { type: 'text/markdown' }));
  }

  #onBackdrop(event: Event): void {
    if (event.target === this.#dialog()) this.#dialog().close();
  }

  #dialog(): HTMLDialogElement {
    return this.renderRoot.querySelector('dialog') as HTMLDialogElement;
  }
}
