import type { SandboxBackend } from '../../../protocol/sandbox/backend.ts';
import type { CoppiceApp } from '../../elements/frame/coppice-app.ts';
import { HostAccess } from '../../elements/frame/host-access.ts';
import type { KnownHost } from '../../elements/model/known-host.ts';
import { PreferenceStore } from '../../elements/model/preferences.ts';
import { Workspace } from '../../elements/model/workspace.ts';
import { LiveContinuation, prepareImage } from '../../elements/replay/live-continuation.ts';
import { formatList, rememberOpenSandboxes, unclaimedSandboxes } from '../open-sandboxes.ts';

/**
 * The site's main page in the place of the player, once a recording is continued: the same document, so that its sandbox is open
 * already. Going back in the browser shows the player again, at the moment that was left.
 */
export class LivePage {
  readonly continuation: LiveContinuation;
  readonly #player: HTMLElement;
  /** Loaded when it is first needed: most visits only watch. */
  readonly #opening = Promise.withResolvers<SandboxBackend>();
  #isOpening = false;
  readonly #workspace: Workspace;
  #making: Promise<CoppiceApp> | undefined;
  /** Once there is something to show in it. */
  #app: CoppiceApp | undefined;
  #hosts: readonly KnownHost[] = [];
  readonly #access: HostAccess;

  constructor(player: HTMLElement) {
    this.#player = player;
    this.#workspace = new Workspace(
      this.#opening.promise,
      (open) => {
        if (!this.isPlayer) rememberOpenSandboxes(open);
      },
      unclaimedSandboxes,
    );
    this.#access = new HostAccess(
      async () => {
        const { openHosts } = await import('../open-hosts.ts');
        const parts = {
          workspace: this.#workspace,
          preferences: new PreferenceStore(),
          listsSandboxes: false,
        };
        return openHosts(document.body, parts);
      },
      this.#workspace.notices,
      (hosts) => {
        this.#hosts = hosts;
        this.continuation.noteHosts();
      },
    );
    this.continuation = new LiveContinuation({
      backend: () => {
        // Drawn while the machine starts.
        this.#makeApp().catch(() => undefined); // Told to who shows it.
        return this.#backend();
      },
      prepareImage: (name) => {
        void prepareImage(this.#backend(), name);
        void loadPage().catch(() => undefined); // Told to who shows it.
      },
      hosts: () => this.#hosts,
      openHosts: () =>
        void this.#access.perform({ type: 'open-bridges' }, { pane: undefined, shellPid: undefined }),
      reachHost: (url) => this.#access.reach(url),
      show: async ({ info, connection }, host) => {
        if (host === undefined) return this.#show(info.id, connection);
        await connection.close();
        location.href = new URL(`../#s=${formatList([{ id: info.id, host: host.url }])}`, location.href).href;
      },
    });
    addEventListener('popstate', () => this.#showPart());
  }

  /** Whether the address is that of the player. */
  get isPlayer(): boolean {
    return /\/replay(\/|\/index\.html)?$/.test(location.pathname);
  }

  /** Looks for hosts on which one could continue, where the user has added any. */
  findHosts(): Promise<void> {
    return this.#access.findHosts();
  }

  #backend(): Promise<SandboxBackend> {
    if (!this.#isOpening)
      this.#opening.resolve(import('../backend.ts').then(({ openBackend }) => openBackend()));
    this.#isOpening = true;
    return this.#opening.promise;
  }

  async #show(id: string, connection: Parameters<Workspace['openBeside']>[1]['connection']): Promise<void> {
    this.#app = await this.#makeApp();
    history.pushState(null, '', new URL('../', location.href));
    this.#showPart();
    if (connection !== undefined && !this.#workspace.isFull) {
      void this.#workspace.openBeside(id, { connection });
      void this.#app.focusTerminal();
      return;
    }
    await connection?.close();
    await this.#workspace.replace(id);
  }

  /** The main page's elements, hidden until there is a sandbox to show. */
  #makeApp(): Promise<CoppiceApp> {
    const make = async (): Promise<CoppiceApp> => {
      const { showPage } = await loadPage();
      const app = document.createElement('coppice-app') as CoppiceApp;
      app.hidden = true;
      document.body.append(app);
      showPage(app, this.#workspace);
      return app;
    };
    this.#making ??= make().catch((error) => {
      this.#making = undefined; // The next one tries again.
      throw error;
    });
    return this.#making;
  }

  #showPart(): void {
    this.#player.hidden = !this.isPlayer && this.#app !== undefined;
    if (this.#app !== undefined) this.#app.hidden = this.isPlayer;
    // A reload would do the same, and would lose a file that was dropped.
    if (this.#app === undefined && !this.isPlayer) location.reload();
  }
}

/** The main page's elements. */
function loadPage(): Promise<typeof import('../show-page.ts')> {
  return import('../show-page.ts');
}
