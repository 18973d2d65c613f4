import type { ReplayLink, ReplaySource } from '../../transports/replay-link.ts';
import { act } from '../model/actions.ts';
import type { HostPlace } from '../model/host-place.ts';
import type { KnownHost } from '../model/known-host.ts';
import type { Workspace } from '../model/workspace.ts';
import { LiveContinuation, prepareImage } from './live-continuation.ts';
import { ReplaySheet } from './replay-sheet.ts';

export interface ReplayPanelParts {
  readonly workspace: Workspace;
  readonly openLink: () => ReplayLink;
  readonly hosts: () => readonly KnownHost[];
  readonly reachHost: (url: string) => Promise<HostPlace | undefined>;
}

/** The page's code for recordings, all loaded on first use. */
export class ReplayPanel {
  readonly #sheet: ReplaySheet;
  readonly #continuation: LiveContinuation;

  /** Adds its dialog to `root`, on a page that has defined the player. */
  constructor(root: ParentNode & Node, { workspace, openLink, hosts, reachHost }: ReplayPanelParts) {
    if (customElements.get('coppice-replay-sheet') === undefined)
      customElements.define('coppice-replay-sheet', ReplaySheet);
    this.#sheet = new ReplaySheet();
    this.#sheet.openLink = openLink;
    this.#continuation = new LiveContinuation({
      backend: () => workspace.backend,
      prepareImage: (name) => void prepareImage(workspace.backend, name),
      hosts,
      openHosts: () => act(this.#sheet, { type: 'open-bridges' }),
      reachHost,
      show: async ({ info, connection }, host) => {
        this.#sheet.close();
        if (!workspace.isFull) return void (await workspace.openBeside(info.id, { host, connection }));
        await connection.close();
        await workspace.replace(info.id, { host });
      },
    });
    this.#sheet.continuation = this.#continuation;
    root.append(this.#sheet);
  }

  /** The page knows other hosts now, or more of them. */
  noteHosts(): void {
    this.#continuation.noteHosts();
  }

  /** Shows a recording, or asks for one. */
  open(source?: ReplaySource): Promise<void> {
    return this.#sheet.open(source);
  }
}
