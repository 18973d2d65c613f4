import { type CSSResultGroup, css, html, LitElement, type TemplateResult } from 'lit';
import type { ReplayLink, ReplaySource } from '../../transports/replay-link.ts';
import { dialogStyles } from '../dialog.styles.ts';
import { sharedStyles } from '../shared.styles.ts';
import type { Continuation } from './continuation.ts';
import { pickRecording, recordingOf } from './pick-recording.ts';
import type { ReplayPlayer } from './replay-player.ts';

/** The player over a page that has other things on it. */
export class ReplaySheet extends LitElement {
  static override readonly styles: CSSResultGroup = [
    sharedStyles,
    dialogStyles,
    css`
      dialog {
        width: calc(100vw - 2rem);
        max-width: none;
        height: calc(100dvh - 2rem);
        max-height: none;
        margin: auto;
        overflow: hidden;
      }
      dialog[open] {
        display: flex;
        flex-direction: column;
      }
      coppice-replay {
        flex: 1;
        height: auto;
      }
      @media (width < 44rem) {
        dialog {
          width: 100vw;
          height: 100dvh;
          border: 0;
        }
      }
    `,
  ];

  declare openLink: (() => ReplayLink) | undefined;
  declare continuation: Continuation | undefined;
  #isShown = false;

  /** Shows the player, with a recording if there is one already. */
  async open(source: ReplaySource | undefined): Promise<void> {
    this.#isShown = true;
    this.requestUpdate();
    await this.updateComplete;
    if (!this.#dialog().open) this.#dialog().showModal();
    if (source !== undefined) await this.#player()?.open(source);
  }

  close(): void {
    this.#dialog().close();
  }

  override render(): TemplateResult {
    return html`<dialog
      aria-labelledby="title"
      @close=${this.#onClose}
      @dragover=${(event: DragEvent) => event.preventDefault()}
      @drop=${this.#onDrop}
    >
      <header>
        <h2 id="title">Recording</h2>
        <button class="icon" aria-label="Close the recording" @click=${this.close}>×</button>
      </header>
      ${
        this.#isShown
          ? html`<coppice-replay
              .openLink=${this.openLink}
              .continuation=${this.continuation}
              @choose-file=${this.#choose}
            ></coppice-replay>`
          : ''
      }
    </dialog>`;
  }

  /** What reads the recording ends with the player. */
  #onClose(): void {
    this.#isShown = false;
    this.requestUpdate();
  }

  async #choose(): Promise<void> {
    const source = await pickRecording();
    if (source !== undefined) await this.#player()?.open(source);
  }

  #onDrop(event: DragEvent): void {
    event.preventDefault();
    event.stopPropagation();
    const source = recordingOf([...(event.dataTransfer?.files ?? [])]);
    if (source !== undefined) void this.#player()?.open(source);
  }

  #player(): ReplayPlayer | null {
    return this.renderRoot.querySelector('coppice-replay');
  }

  #dialog(): HTMLDialogElement {
    return this.renderRoot.querySelector('dialog') as HTMLDialogElement;
  }
}
