import {
  type CSSResultGroup,
  css,
  html,
  LitElement,
  nothing,
  type PropertyDeclarations,
  type TemplateResult,
} from 'lit';
import { hasImage, type StorageInfo } from '../../../protocol/sandbox/sandbox-info.ts';
import { act } from '../model/actions.ts';
import type { SandboxModel } from '../model/sandbox-model.ts';
import { Watch } from '../model/watch.ts';
import { sharedStyles } from '../shared.styles.ts';
import { formatBytes } from '../text/format-bytes.ts';

const backends = {
  opfs: 'stored in this browser',
  idb: 'stored in IndexedDB, slower',
  files: 'stored on the host',
  memory: 'kept in memory only: closing the tab loses it',
} as const;

/** Shows what is stored, how safe it is, and whether the page works offline. */
export class StatusBar extends LitElement {
  static override readonly properties: PropertyDeclarations = {
    model: { attribute: false },
    offline: {},
    hint: {},
  };
  static override readonly styles: CSSResultGroup = [
    sharedStyles,
    css`
      :host {
        display: flex;
        align-items: center;
        gap: var(--cp-space-3);
        min-height: 1.875rem;
        padding: 0 var(--cp-space-3);
        border-top: 1px solid var(--cp-line);
        background: var(--cp-panel);
        font-size: var(--cp-small-size);
        white-space: nowrap;
        overflow: auto hidden;
        scrollbar-width: none;
      }
      button {
        min-height: 1.5rem;
        font-size: var(--cp-small-size);
      }
      .hint,
      .offline {
        min-width: 0;
        overflow: hidden;
        text-overflow: ellipsis;
      }
      .hint {
        margin-left: auto;
      }
      .number:not(.offline) {
        flex: none;
      }
      @media (width < 70rem) {
        .site {
          display: none;
        }
      }
      .warning {
        color: var(--cp-warning);
      }
      /* One line on a phone; the rest is in the commands. */
      @media (width < 44rem) {
        .detail,
        .hint {
          display: none;
        }
      }
      meter {
        width: 4.5rem;
        height: 6px;
        border-radius: 0;
        background: var(--cp-line);
        vertical-align: 1px;
        appearance: none;
      }
      meter::-webkit-meter-inner-element,
      meter::-webkit-meter-bar {
        height: 6px;
        border: 0;
        border-radius: 0;
        background: var(--cp-line);
      }
      meter::-webkit-meter-optimum-value {
        background: var(--cp-accent);
      }
      meter::-webkit-meter-suboptimum-value {
        background: var(--cp-warning);
      }
      meter::-moz-meter-bar {
        background: var(--cp-accent);
      }
    `,
  ];

  declare model: SandboxModel | undefined;
  declare offline: string;
  declare hint: string;

  constructor() {
    super();
    this.offline = '';
    this.hint = '';
    new Watch(this, () => this.model);
  }

  override render(): TemplateResult {
    const storage = this.model?.state.storage;
    const info = this.model?.state.info;
    const problem = this.model?.state.problems.storage;
    return html`
      ${info === undefined || !hasImage(info) ? nothing : html`<span class="number detail" title="Memory of the machine">${info.memoryMiB} MiB</span>`}
      ${storage === undefined ? nothing : this.#renderStorage(storage)}
      ${problem === undefined ? nothing : html`<span class="warning" role="alert">${problem.message}</span>`}
      ${this.#renderOffline()}
      <span class="muted hint" role="status">${this.hint}</span>
    `;
  }

  /** The page and the whole image must be kept before a visit without network can work. */
  #renderOffline(): TemplateResult | typeof nothing {
    const kept = this.model?.state.kept;
    if (this.offline === '' || kept === undefined) return nothing;
    const { doneBytes, totalBytes } = kept;
    if (doneBytes >= totalBytes) return html`<span class="muted offline">${this.offline}</span>`;
    return html`<span
      class="muted number offline"
      title="What this page needs to work without a network is being kept in the browser"
      >for offline: ${formatBytes(doneBytes)} of ${formatBytes(totalBytes)}</span
    >`;
  }

  #renderStorage(storage: StorageInfo): TemplateResult {
    const host = this.model?.host;
    const { snapshots, storedBytes, usageBytes, quotaBytes, persisted, backend } = storage;
    return html`
      <span class="number">${snapshots} ${snapshots === 1 ? 'snapshot' : 'snapshots'}</span>
      <span class="number" title=${`This sandbox, ${backends[backend]}`}>${formatBytes(storedBytes)} stored</span>
      ${backend === 'opfs' || backend === 'files' ? nothing : html`<span class="warning">${backends[backend]}</span>`}
      ${
        quotaBytes > 0
          ? html`<span
            class="number detail site"
            title=${
              host === undefined
                ? 'What this site has stored, images and all sandboxes together, of what the browser lets it store'
                : 'What is used of the disk of that host, by whatever is on it'
            }
          >
            <meter
              min="0"
              max=${quotaBytes}
              high=${quotaBytes * 0.85}
              optimum="0"
              value=${usageBytes}
              aria-label=${host === undefined ? 'Storage that this site uses' : 'Disk of the host that is used'}
            ></meter>
            <span class="muted">${host === undefined ? 'site' : 'disk of the host'}: ${formatBytes(usageBytes)} of ${formatBytes(quotaBytes)}</span>
          </span>`
          : nothing
      }
      ${
        persisted
          ? html`<span class="muted detail" title="The browser does not clear this storage by itself.">persisted</span>`
          : html`<button
            class="outlined detail"
            title="The browser may clear this storage when the disk is full. Ask it not to."
            @click=${() => act(this, { type: 'persist' })}
          >
            Keep storage
          </button>`
      }
    `;
  }
}
