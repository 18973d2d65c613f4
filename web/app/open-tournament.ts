import type { Workspace } from '../elements/model/workspace.ts';
import { TournamentPanel } from '../elements/tournament/tournament-panel.ts';

/** What the page does of tournaments, with its dialog in `root`. Loaded when it is first asked for. */
export function openTournament(root: HTMLElement | DocumentFragment, workspace: Workspace): TournamentPanel {
  return new TournamentPanel(root, workspace);
}
