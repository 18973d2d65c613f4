import {
  type CSSResultGroup,
  css,
  html,
  LitElement,
  nothing,
  type PropertyDeclarations,
  type TemplateResult,
} from 'lit';
import { type Action, act } from '../model/actions.ts';
import type { MoveState } from '../model/move-state.ts';
import { sharedStyles } from '../shared.styles.ts';
import { plainLine } from '../text/describe-snapshot.ts';
import { formatBytes } from '../text/format-bytes.ts';
import { adviseOnMove } from './move-advice.ts';

/** A move under way: its stage, the bytes sent, and a button to cancel it. */
export class MoveBar extends LitElement {
  static override readonly properties: PropertyDeclarations = { move: { attribute: false } };
  static override readonly styles: CSSResultGroup = [
    sharedStyles,
    css`
      .under-way {
        display: grid;
        grid-template-columns: 1fr auto auto;
        align-items: center;
        gap: var(--cp-space-1) var(--cp-space-3);
        padding: var(--cp-space-1) var(--cp-space-3);
        border-bottom: 1px solid var(--cp-line);
        background: var(--cp-panel);
      }
      .bar {
        grid-column: 1 / -1;
        height: 2px;
        background: var(--cp-line);
      }
      .done {
        height: 100%;
        background: var(--cp-accent);
        transform-origin: left;
      }
    `,
  ];

  declare move: MoveState | undefined;

  override render(): TemplateResult | typeof nothing {
    const { move } = this;
    if (move === undefined) return nothing;
    if (move.error !== undefined) return this.#renderFailure(move, move.error);
    const { movedBytes, expectedBytes } = move;
    const share = shareOf(move);
    const about = expectedBytes > movedBytes ? ` of about ${formatBytes(expectedBytes)}` : '';
    return html`<div class="under-way">
      <span role="status" class="ellipsis">${describeStage(move)}</span>
      <span class="number muted">${formatBytes(movedBytes)}${about}</span>
      <button class="outlined" ?disabled=${move.stage === 'opening'} @click=${() => act(this, { type: 'cancel-move' })}>
        Cancel
      </button>
      <div
        class="bar"
        role="progressbar"
        aria-label=${describeStage(move)}
        aria-valuenow=${Math.round(share * 100)}
        aria-valuetext=${`${formatBytes(movedBytes)}${about}`}
      >
        <div class="done" style=${`transform: scaleX(${share})`}></div>
      </div>
    </div>`;
  }

  #renderFailure(move: MoveState, error: NonNullable<MoveState['error']>): TemplateResult {
    const again: Action =
      move.direction === 'to-host'
        ? { type: 'run-on-host', image: move.image }
        : { type: move.direction === 'back' ? 'bring-back' : 'run-in-machine' };
    return html`<coppice-problem .error=${error} .advice=${adviseOnMove(error, move, location.origin)}>
      <button class="outlined" @click=${() => act(this, again)}>Try again</button>
      <button class="outlined" @click=${() => act(this, { type: 'open-bridges' })}>Hosts</button>
      <button class="outlined" @click=${() => act(this, { type: 'cancel-move' })}>Dismiss</button>
    </coppice-problem>`;
  }
}

/** The progress. The expected size is only an estimate, so the stage tells when it has ended. */
function shareOf({ stage, movedBytes, expectedBytes }: MoveState): number {
  if (stage === 'opening') return 1;
  return expectedBytes === 0 ? 0 : Math.min(0.95, movedBytes / expectedBytes);
}

function describeStage({ stage, direction, host }: MoveState): string {
  const name = plainLine(host, 60);
  const isBack = direction === 'back';
  if (direction === 'to-machine') return stage === 'saving' ? 'Saving what is here' : `Starting ${name}`;
  switch (stage) {
    case 'connecting':
      return `Asking ${name}`;
    case 'saving':
      return isBack ? `Saving what is on ${name}` : 'Saving what is here';
    case 'moving':
      return isBack ? `Bringing it back from ${name}` : `Moving it to ${name}`;
    default:
      return isBack ? 'Opening it in this tab' : `Starting it on ${name}`;
  }
}
