import type { SandboxModel } from '../model/sandbox-model.ts';
import type { Workspace } from '../model/workspace.ts';
import { Race } from './race.ts';
import { TournamentDialog } from './tournament-dialog.ts';

const name = 'coppice-tournament';

/** The page's code for tournaments, loaded on first use. One race runs at a time. */
export class TournamentPanel {
  readonly #dialog: TournamentDialog;
  readonly #race: Race;

  /** Adds its dialog to `root`, from where its actions bubble up to the page. */
  constructor(root: ParentNode & Node, workspace: Workspace) {
    if (customElements.get(name) === undefined) customElements.define(name, TournamentDialog);
    this.#race = new Race(workspace.backend);
    this.#dialog = new TournamentDialog();
    this.#dialog.race = this.#race;
    this.#race.addEventListener('end', () => {
      if (this.#dialog.isOpen) return;
      const text = this.#race.summary;
      const action = { label: 'Show', run: () => void this.#dialog.open() };
      workspace.notices.add({ text, tone: this.#race.error ? 'error' : 'info', action });
    });
    root.append(this.#dialog);
  }

  /** Shows the race that runs, or the form for one of `pane`. */
  async open(pane: SandboxModel): Promise<void> {
    this.#race.prepare(pane);
    await this.#dialog.open();
  }
}
