import {
  type CSSResultGroup,
  css,
  html,
  LitElement,
  type PropertyDeclarations,
  type TemplateResult,
} from 'lit';
import type { Progress } from '../../../protocol/sandbox/progress.ts';
import { sharedStyles } from '../shared.styles.ts';
import { formatBytes } from '../text/format-bytes.ts';
import { formatSeconds } from '../text/relative-time.ts';

const stages = {
  download: 'Downloading the image',
  restore: 'Restoring the machine',
  boot: 'Booting',
  unpack: 'Unpacking the files',
  checkout: 'Going back',
  workspace: 'Cloning the repository',
  git: 'Working with the repository',
  ready: 'Ready',
} as const;

/** How often the seconds are counted before the machine's worker tells of its progress. */
const clockMs = 500;

/** The progress of a start, in bytes and seconds, with a bar if the total is known. */
export class StartProgress extends LitElement {
  static override readonly properties: PropertyDeclarations = { progress: { attribute: false } };
  static override readonly styles: CSSResultGroup = [
    sharedStyles,
    css`
      :host {
        display: block;
        padding: var(--cp-space-1) var(--cp-space-3);
        border-bottom: 1px solid var(--cp-line);
        background: var(--cp-panel);
      }
      .line {
        display: flex;
        justify-content: space-between;
        gap: var(--cp-space-3);
      }
      .bar {
        height: 2px;
        margin-top: var(--cp-space-1);
        background: var(--cp-line);
      }
      .done {
        height: 100%;
        background: var(--cp-accent);
        transform-origin: left;
      }
    `,
  ];

  declare progress: Progress | undefined;
  #shownAtMs = 0;
  #clock: ReturnType<typeof setInterval> | undefined;

  override connectedCallback(): void {
    super.connectedCallback();
    this.#shownAtMs = performance.now();
    this.#clock = setInterval(() => {
      if (this.progress === undefined) this.requestUpdate();
    }, clockMs);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.#clock);
  }

  override render(): TemplateResult {
    const { stage = 'download', doneBytes = 0, totalBytes = 0, text } = this.progress ?? {};
    const making =
      stage === 'download' && text !== undefined ? `The site is still making the image (${text})` : undefined;
    const elapsedMs = this.progress?.elapsedMs ?? performance.now() - this.#shownAtMs;
    const share = totalBytes > 0 ? Math.min(1, doneBytes / totalBytes) : 0;
    const bytes =
      totalBytes > 0 ? `${formatBytes(doneBytes)} of ${formatBytes(totalBytes)}` : formatBytes(doneBytes);
    const number = doneBytes > 0 || totalBytes > 0 ? `${bytes} · ` : '';
    return html`
      <div class="line">
        <span role="status">${making ?? stages[stage]}</span>
        <span class="number muted">${number}${formatSeconds(elapsedMs)}</span>
      </div>
      <div
        class="bar"
        role="progressbar"
        aria-label=${stages[stage]}
        aria-valuenow=${Math.round(share * 100)}
      >
        <div class="done" style=${`transform: scaleX(${share})`}></div>
      </div>
    `;
  }
}
