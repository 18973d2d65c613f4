import {
  type CSSResultGroup,
  html,
  LitElement,
  nothing,
  type PropertyDeclarations,
  type TemplateResult,
} from 'lit';
import { hasImage, type SandboxInfo } from '../../../protocol/sandbox/sandbox-info.ts';
import { dialogStyles } from '../dialog.styles.ts';
import { act } from '../model/actions.ts';
import type { PlaceText } from '../model/explain-place.ts';
import type { Notices } from '../model/notices.ts';
import { Watch } from '../model/watch.ts';
import { sharedStyles } from '../shared.styles.ts';
import { plainLine } from '../text/describe-snapshot.ts';
import { relativeTime } from '../text/relative-time.ts';
import { type BridgeEntry, isBridgeToken, parseBridgeUrl } from './bridge-address.ts';
import { bridgeDialogStyles } from './bridge-dialog.styles.ts';
import { type BridgeLink, hasToken, type LinkState } from './bridge-link.ts';
import type { BridgeLinks } from './bridge-links.ts';
import { lacksImage, otherImages } from './host-images.ts';
import { bridgeCommand } from './move-advice.ts';

const states: { readonly [type in LinkState['type']]: string } = {
  unknown: 'not asked yet',
  connecting: 'connecting',
  connected: 'connected',
  unreachable: 'unreachable',
  refused: 'token refused',
};

/** The hosts that sandboxes can move to: the state of each, its sandboxes, and a form to add one. */
export class BridgeDialog extends LitElement {
  static override readonly properties: PropertyDeclarations = {
    links: { attribute: false },
    movable: { attribute: false },
    place: { attribute: false },
    notices: { attribute: false },
    listsSandboxes: { attribute: false },
  };
  static override readonly styles: CSSResultGroup = [sharedStyles, dialogStyles, bridgeDialogStyles];

  declare links: BridgeLinks;
  /** The sandbox of this tab that could run on a host, if there is one. */
  declare movable: SandboxInfo | undefined;
  /** Where the active sandbox runs, and why. */
  declare place: PlaceText | undefined;
  /** Shown within the dialog too: outside a modal one nothing can be clicked, and a deletion offers its undo there. */
  declare notices: Notices | undefined;
  declare listsSandboxes: boolean;
  /** The image chosen instead of that sandbox's, by host. */
  readonly #images = new WeakMap<BridgeLink, string>();
  #filled: BridgeEntry | undefined;
  #isOpen = false;
  #wrong: { readonly field: 'url' | 'token'; readonly why: string } | undefined;

  constructor() {
    super();
    this.listsSandboxes = true;
    new Watch(this, () => this.links);
  }

  /**
   * Shows it; with `entry`, the form is filled with a link's address, for the user to confirm; with `bridge`, it asks for a
   * token of that one.
   */
  async open(entry?: BridgeEntry, bridge?: string): Promise<void> {
    this.#filled = entry;
    this.#wrong = undefined;
    this.links.checkAll();
    this.requestUpdate();
    await this.updateComplete;
    const dialog = this.#dialog();
    if (!dialog.open) dialog.showModal();
    this.#noteOpen(true);
    const link = bridge === undefined ? undefined : this.links.find(bridge);
    if (link !== undefined) this.#askForToken(link);
  }

  override render(): TemplateResult {
    const { links } = this.links;
    return html`<dialog aria-labelledby="title" @click=${this.#onBackdrop} @close=${() => this.#noteOpen(false)}>
      <header>
        <h2 id="title">Hosts</h2>
        <button class="icon" aria-label="Close" @click=${() => this.#dialog().close()}>×</button>
      </header>
      ${
        this.place === undefined
          ? nothing
          : html`<section aria-label="Where it runs"><p>Runs <strong>${this.place.place}</strong>. ${this.place.why}</p></section>`
      }
      ${
        links.length === 0
          ? html`<section>
            <p>A bridge runs sandboxes on a Linux host, natively. Start one there and add it here:</p>
            <p><code>${bridgeCommand(location.origin)}</code></p>
          </section>`
          : links.map((link) => this.#renderLink(link))
      }
      ${this.#renderForm()}
      ${this.#isOpen ? html`<coppice-toasts .notices=${this.notices}></coppice-toasts>` : nothing}
    </dialog>`;
  }

  #renderLink(link: BridgeLink): TemplateResult {
    const { state, name, bridge } = link;
    return html`<section aria-label=${name}>
      <div class="row">
        <h3>${name}</h3>
        <span class=${`state ${state.type}`} role="status">${hasToken(bridge) ? states[state.type] : 'no token'}</span>
        ${
          state.type === 'connected' && this.movable
            ? html`<button class="primary" @click=${() => this.#runOn(link)}>Run here</button>`
            : nothing
        }
        ${
          'error' in state
            ? html`<button class="outlined" @click=${() => void link.check()}>Try again</button>`
            : nothing
        }
        ${
          state.type === 'refused'
            ? html`<button class="outlined" @click=${() => this.#askForToken(link)}>New token</button>`
            : nothing
        }
        <button
          aria-label=${`Remove ${name}`}
          title=${`Forgets the address and the token${bridge.remembered ? ', which are remembered in this browser' : ''}; sandboxes stay on the host`}
          @click=${() => void this.links.remove(link)}
        >
          Remove
        </button>
      </div>
      ${this.#renderRemedy(link)} ${this.#renderImages(link)}
      ${
        this.listsSandboxes && state.type === 'connected' && state.sandboxes.length > 0
          ? html`<ul aria-label=${`Sandboxes on ${name}`}>
            ${state.sandboxes.toSorted((a, b) => b.createdAtMs - a.createdAtMs).map((sandbox) => this.#renderSandbox(sandbox, link))}
          </ul>`
          : nothing
      }
    </section>`;
  }

  /** Selects the image for the work, if the host has other images. */
  #renderImages(link: BridgeLink): TemplateResult | typeof nothing {
    const { movable } = this;
    const others = movable === undefined ? [] : otherImages(link.state, movable);
    if (movable === undefined || others.length === 0) return nothing;
    const chosen = this.#chosenImage(link);
    const isLacking = lacksImage(link.state, movable);
    const lack = isLacking ? ': not on this host' : '';
    const choose = (event: Event): void => {
      this.#images.set(link, (event.target as HTMLSelectElement).value);
      this.requestUpdate();
    };
    return html`<label>
        Image on ${link.name}
        <select @change=${choose}>
          <option value="" ?selected=${chosen === undefined} ?disabled=${isLacking}>${hasImage(movable) ? `${movable.image}, as here${lack}` : 'the usual one there'}</option>
          ${others.map(
            ({ name, architecture }) =>
              html`<option value=${name} ?selected=${name === chosen}>${name}${architecture === 'amd64' ? ', for 64-bit programs' : ''}</option>`,
          )}
        </select>
      </label>
      ${
        chosen === undefined || !hasImage(movable)
          ? nothing
          : html`<p class="muted" role="status">
            Makes a new sandbox there with the files of /home/user. What is installed elsewhere stays here, and only
            files can come back.
          </p>`
      }`;
  }

  /** Where everything cannot move, the host's usual image, unless another is chosen. */
  #chosenImage(link: BridgeLink): string | undefined {
    const { movable } = this;
    if (movable === undefined) return undefined;
    const others = otherImages(link.state, movable);
    const chosen = others.find(({ name }) => name === this.#images.get(link));
    if (chosen !== undefined || !lacksImage(link.state, movable)) return chosen?.name;
    return (others.find(({ isDefault }) => isDefault) ?? others[0])?.name;
  }

  #renderRemedy({ state, bridge }: BridgeLink): TemplateResult | typeof nothing {
    if (!hasToken(bridge)) {
      return html`<p class="remedy">This browser has no token for it. Enter the one that the bridge prints when it starts.</p>`;
    }
    if (state.type === 'refused') {
      return html`<p class="remedy">The bridge does not take this token. Enter the token that it prints when it starts.</p>`;
    }
    if (state.type !== 'unreachable') return nothing;
    // It answers with an error, for example that there are too many connections.
    if (state.error.code !== 'connection-lost' && state.error.code !== 'timeout') {
      return html`<p class="remedy">${plainLine(state.error.message, 400)}</p>`;
    }
    return html`<p class="remedy">
      No bridge answers there, or it does not let this page in. On the host:
      <code>${bridgeCommand(location.origin)}</code>
    </p>`;
  }

  #renderSandbox(sandbox: SandboxInfo, link: BridgeLink): TemplateResult {
    const name = plainLine(sandbox.name, 60);
    return html`<li class="row">
      <span class="name ellipsis">${name}</span>
      <span class="muted number">${relativeTime(sandbox.createdAtMs, Date.now())}</span>
      <button class="outlined" aria-label=${`Open ${name}`} @click=${() => this.#open(sandbox, link)}>Open</button>
      <button
        aria-label=${`Delete ${name} on ${link.name}`}
        @click=${() => act(this, { type: 'delete-on-host', sandbox: sandbox.id, bridge: link.bridge.url })}
      >
        Delete
      </button>
    </li>`;
  }

  #renderForm(): TemplateResult {
    const { url = '', token = '' } = this.#filled ?? {};
    return html`<form aria-label="Add a host" @submit=${this.#onSubmit}>
      ${
        this.#filled === undefined
          ? nothing
          : html`<p role="status">The link you opened names this host. Connect only if it is yours: what you move there, it can read.</p>`
      }
      <label>
        Address of the bridge
        <input
          name="url"
          .value=${url}
          placeholder="http://127.0.0.1:7070"
          autocomplete="off"
          spellcheck="false"
          required
          aria-invalid=${this.#wrong?.field === 'url'}
          aria-describedby="wrong"
        />
      </label>
      <label>
        Token
        <input
          name="token"
          type="password"
          .value=${token}
          autocomplete="off"
          required
          aria-invalid=${this.#wrong?.field === 'token'}
          aria-describedby="wrong"
        />
      </label>
      <p id="wrong" class="remedy" role="alert">${this.#wrong?.why ?? ''}</p>
      <label class="check">
        <input name="remember" type="checkbox" />
        <span>
          Remember in this browser.
          <span class="muted">Otherwise the token is forgotten with this tab. Whoever uses this browser profile could use it.</span>
        </span>
      </label>
      <div class="row"><button class="primary">Connect</button></div>
    </form>`;
  }

  #onSubmit(event: SubmitEvent): void {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    const data = new FormData(form);
    const parsed = parseBridgeUrl(`${data.get('url')}`);
    const token = `${data.get('token')}`.trim();
    if ('why' in parsed) this.#wrong = { field: 'url', why: parsed.why };
    else if (!isBridgeToken(token)) this.#wrong = { field: 'token', why: 'This is no token of a bridge.' };
    else {
      this.#wrong = undefined;
      this.#filled = undefined;
      void this.links.add({ url: parsed.url, token, remembered: data.get('remember') !== null });
      form.reset();
    }
    this.requestUpdate();
    const { field } = this.#wrong ?? {};
    if (field !== undefined) form.querySelector<HTMLInputElement>(`[name=${field}]`)?.focus();
  }

  /** In the form, which takes the place of a bridge of the same address. */
  #askForToken({ bridge }: BridgeLink): void {
    const [url, token] = this.renderRoot.querySelectorAll<HTMLInputElement>('[name=url], [name=token]');
    if (url !== undefined) url.value = bridge.url;
    token?.focus();
  }

  #runOn(link: BridgeLink): void {
    this.#dialog().close();
    act(this, { type: 'run-on-host', bridge: link.bridge.url, image: this.#chosenImage(link) });
  }

  #open(sandbox: SandboxInfo, link: BridgeLink): void {
    this.#dialog().close();
    act(this, { type: 'open-on-host', sandbox: sandbox.id, bridge: link.bridge.url });
  }

  #noteOpen(isOpen: boolean): void {
    this.#isOpen = isOpen;
    this.requestUpdate();
  }

  #onBackdrop(event: Event): void {
    if (event.target === this.#dialog()) this.#dialog().close();
  }

  #dialog(): HTMLDialogElement {
    return this.renderRoot.querySelector('dialog') as HTMLDialogElement;
  }
}
