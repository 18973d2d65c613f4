import {
  type CSSResultGroup,
  css,
  html,
  LitElement,
  nothing,
  type PropertyDeclarations,
  type TemplateResult,
} from 'lit';
import type { ErrorData } from '../../../protocol/errors.ts';
import { act } from '../model/actions.ts';
import { findStartable, type Startable } from '../model/find-startable.ts';
import type { SandboxModel } from '../model/sandbox-model.ts';
import { Watch } from '../model/watch.ts';
import { sharedStyles } from '../shared.styles.ts';
import type { ErrorAdvice } from '../text/describe-error.ts';
import { describeSnapshot } from '../text/describe-snapshot.ts';
import { clockTime } from '../text/relative-time.ts';

/**
 * Explains why a shell did not start: which of its files are missing since which command, and the last state that
 * has them, to go back to. Fires `again` to retry.
 */
export class ShellRescue extends LitElement {
  static override readonly properties: PropertyDeclarations = {
    model: { attribute: false },
    error: { attribute: false },
  };
  static override readonly styles: CSSResultGroup = [
    sharedStyles,
    css`
      :host {
        display: block;
        flex: none;
      }
    `,
  ];

  declare model: SandboxModel | undefined;
  declare error: ErrorData | undefined;
  #found: Startable | undefined;
  /** The failure for which the history was searched. */
  #looked: ErrorData | undefined;

  constructor() {
    super();
    new Watch(this, () => this.model);
  }

  /** After a reload the shell fails before the history is read. */
  override willUpdate(): void {
    const wanted = this.model?.state.history === undefined ? undefined : this.error;
    if (wanted === this.#looked) return;
    this.#looked = wanted;
    void this.#find(wanted);
  }

  override render(): TemplateResult | typeof nothing {
    if (this.error === undefined) return nothing;
    const last = this.#found?.last;
    return html`<coppice-problem .error=${this.error} .advice=${this.#advice()}>
      ${
        last === undefined
          ? nothing
          : html`<button class="primary" @click=${() => act(this, { type: 'checkout', id: last.id })}>
            Go back to “${describeSnapshot(last).slice(0, 40)}”, ${clockTime(last.takenAtMs, Date.now())}
          </button>`
      }
      <button class="outlined" @click=${() => this.dispatchEvent(new Event('again'))}>Try again</button>
    </coppice-problem>`;
  }

  #advice(): ErrorAdvice | undefined {
    const { missing, since } = this.#found ?? { missing: [], since: undefined };
    if (missing.length === 0) return undefined;
    const names = missing.join(', ');
    const verb = missing.length === 1 ? 'is' : 'are';
    const when = since === undefined ? '' : ` since “${describeSnapshot(since).slice(0, 60)}”`;
    return {
      lost: `No shell can start in this state: ${names} ${verb} gone${when}.`,
      advice: 'Every snapshot is kept; the last one that has what a shell needs is one click away.',
    };
  }

  async #find(error: ErrorData | undefined): Promise<void> {
    this.#found = undefined;
    const { model } = this;
    if (error === undefined || model?.connection === undefined) return;
    const found = await findStartable(model.connection, model.state).catch(() => undefined);
    if (error !== this.error) return;
    this.#found = found;
    this.requestUpdate();
  }
}
