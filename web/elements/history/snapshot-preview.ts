import {
  type CSSResultGroup,
  css,
  html,
  LitElement,
  nothing,
  type PropertyDeclarations,
  type TemplateResult,
} from 'lit';
import type { SnapshotInfo } from '../../../protocol/sandbox/history.ts';
import { ranCommands } from '../../../protocol/sandbox/ran-commands.ts';
import { sharedStyles } from '../shared.styles.ts';
import { countChanges, describeRan, plainLine, summarizeCoverage } from '../text/describe-snapshot.ts';
import { clockTime } from '../text/relative-time.ts';

const shownPaths = 10;

/** The commands that a snapshot was taken after, and how each ended. */
function commandLines(snapshot: SnapshotInfo): TemplateResult | typeof nothing {
  const { cause } = snapshot;
  const ran = ranCommands(snapshot).map(describeRan);
  const named = cause.type === 'capture' ? cause.commands.map((command) => plainLine(command, 256)) : [];
  const lines = ran.length > 0 ? ran : named;
  return lines.length > 0 ? html`<pre>${lines.map((line) => `$ ${line}`).join('\n')}</pre>` : nothing;
}

/**
 * Describes a snapshot beside the row under the pointer: its commands, the files it changed, and its coverage.
 * Stays while the pointer is on it; Escape closes it (WCAG 1.4.13).
 */
export class SnapshotPreview extends LitElement {
  static override readonly properties: PropertyDeclarations = { snapshot: { attribute: false } };
  static override readonly styles: CSSResultGroup = [
    sharedStyles,
    css`
      :host {
        position: fixed;
        margin: 0;
        width: 22rem;
        max-width: calc(100vw - 2rem);
        padding: var(--cp-space-3);
        border: 1px solid var(--cp-line);
        border-radius: var(--cp-radius);
        background: var(--cp-raised);
        box-shadow: var(--cp-shadow);
      }
      :host(:popover-open) {
        display: grid;
        gap: var(--cp-space-2);
      }
      pre {
        max-height: 8.5em;
        margin: 0;
        overflow: hidden;
        font: var(--cp-small-size) / 1.4 var(--cp-mono);
        white-space: pre-wrap;
        overflow-wrap: anywhere;
      }
      li {
        font: var(--cp-small-size) / 1.5 var(--cp-mono);
      }
      p {
        font-size: var(--cp-small-size);
      }
    `,
  ];

  declare snapshot: SnapshotInfo | undefined;

  /** Opens beside `anchor`, or below it if there is no space, inside the window. */
  openBeside(anchor: DOMRect): void {
    this.showPopover();
    const box = this.getBoundingClientRect();
    const beside = anchor.right + 4 + box.width < innerWidth;
    const left = beside ? anchor.right + 4 : Math.min(anchor.left + 48, innerWidth - box.width - 8);
    const top = Math.min(beside ? anchor.top : anchor.bottom + 2, innerHeight - box.height - 8);
    this.style.left = `${Math.max(8, left)}px`;
    this.style.top = `${Math.max(8, top)}px`;
  }

  override render(): TemplateResult | typeof nothing {
    const { snapshot } = this;
    if (snapshot === undefined) return nothing;
    const { paths } = snapshot.changes;
    const more = Math.max(paths.length, countChanges(snapshot.changes)) - Math.min(paths.length, shownPaths);
    return html`
      ${commandLines(snapshot)}
      <ul>
        ${paths.slice(0, shownPaths).map((path) => html`<li class="ellipsis">${plainLine(path, 400)}</li>`)}
        ${more > 0 ? html`<li class="muted">and ${more} more</li>` : nothing}
      </ul>
      <p class="muted">Holds ${summarizeCoverage(snapshot.coverage)}</p>
      <p class="muted number">
        ${clockTime(snapshot.takenAtMs, Date.now())} · <span class="mono">${snapshot.id.slice(0, 10)}</span>
      </p>
    `;
  }
}
