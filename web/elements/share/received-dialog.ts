import {
  type CSSResultGroup,
  html,
  LitElement,
  nothing,
  type PropertyDeclarations,
  type TemplateResult,
} from 'lit';
import { type ErrorData, SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import type { SandboxBackend } from '../../../protocol/sandbox/backend.ts';
import type { SandboxInfo } from '../../../protocol/sandbox/sandbox-info.ts';
import { dialogStyles } from '../dialog.styles.ts';
import { sharedStyles } from '../shared.styles.ts';
import { plainLine } from '../text/describe-snapshot.ts';
import { formatBytes } from '../text/format-bytes.ts';
import { type ReceivedSnapshot, receiveSnapshot } from './received-snapshot.ts';
import { shareDialogStyles } from './share-dialog.styles.ts';
import type { SharedSnapshot } from './share-link.ts';

type Stage =
  | { readonly type: 'looking' }
  | { readonly type: 'asking'; readonly received: ReceivedSnapshot }
  | { readonly type: 'opening'; readonly doneBytes: number; readonly totalBytes: number }
  | { readonly type: 'failed'; readonly error: ErrorData };

/** Shows what a link shares, and opens it if the user agrees. */
export class ReceivedDialog extends LitElement {
  static override readonly properties: PropertyDeclarations = {};
  static override readonly styles: CSSResultGroup = [sharedStyles, dialogStyles, shareDialogStyles];

  #stage: Stage = { type: 'looking' };
  #backend: Promise<SandboxBackend> | undefined;
  #work = new AbortController();
  #decide: (opened: SandboxInfo | undefined) => void = () => undefined;

  /** Resolves to the new sandbox, or to `undefined` if the user refused or cancelled, or it failed. */
  async ask(
    shared: SharedSnapshot,
    { backend }: { readonly backend: Promise<SandboxBackend> },
  ): Promise<SandboxInfo | undefined> {
    this.#finish(undefined);
    this.#work = new AbortController();
    this.#backend = backend;
    const { promise, resolve } = Promise.withResolvers<SandboxInfo | undefined>();
    this.#decide = resolve;
    this.#show({ type: 'looking' });
    await this.updateComplete;
    if (!this.#dialog().open) this.#dialog().showModal();
    const { signal } = this.#work;
    try {
      this.#show({
        type: 'asking',
        received: await receiveSnapshot(shared, { site: location.href, signal }),
      });
    } catch (error) {
      if (!signal.aborted) this.#fail(error);
    }
    return promise;
  }

  override render(): TemplateResult {
    return html`<dialog aria-labelledby="title" @close=${() => this.#finish(undefined)}>
      <header><h2 id="title">A shared snapshot</h2></header>
      <section>${this.#renderStage(this.#stage)}</section>
    </dialog>`;
  }

  #renderStage(stage: Stage): TemplateResult {
    switch (stage.type) {
      case 'looking':
        return html`<p role="status">Looking at what the link shares …</p>
          ${this.#renderChoices('Cancel')}`;
      case 'asking':
        return this.#renderQuestion(stage.received);
      case 'opening':
        return this.#renderProgress(stage);
      case 'failed':
        return html`<coppice-problem .error=${stage.error}></coppice-problem>${this.#renderChoices('Close')}`;
    }
  }

  #renderQuestion(received: ReceivedSnapshot): TemplateResult {
    const { host, name, sizeBytes } = received;
    const size =
      sizeBytes === undefined
        ? `its size is not known, ${formatBytes(limits.sharedFileBytes)} at most`
        : formatBytes(sizeBytes);
    return html`
      <p>
        ${
          host === undefined
            ? html`The link itself holds <strong>“${plainLine(name ?? '', 80)}”</strong> (${size}). Nothing is downloaded for it
              but the system's image, from this site.`
            : html`The link leads to a file at <strong>${plainLine(host, 200)}</strong> (${size}), which is downloaded when you
              open it.`
        }
      </p>
      <p>
        It opens as a new sandbox in this browser. Its files were made by whoever shares it, and a shell starts among them,
        inside the sandbox. Your own sandboxes stay as they are.
      </p>
      ${this.#renderChoices('Do not open', received)}
    `;
  }

  #renderProgress({ doneBytes, totalBytes }: { doneBytes: number; totalBytes: number }): TemplateResult {
    const of = totalBytes > 0 ? ` of ${formatBytes(totalBytes)}` : '';
    return html`
      <p role="status">Opening, each part verified: <span class="number">${formatBytes(doneBytes)}${of}</span></p>
      <progress
        aria-label="Opening"
        max=${totalBytes > 0 ? totalBytes : nothing}
        value=${totalBytes > 0 ? Math.min(doneBytes, totalBytes) : nothing}
      ></progress>
      ${this.#renderChoices('Cancel')}
    `;
  }

  #renderChoices(refusal: string, received?: ReceivedSnapshot): TemplateResult {
    return html`<div class="choices">
      ${
        received === undefined
          ? nothing
          : html`<button class="primary" autofocus @click=${() => void this.#open(received)}>Open</button>`
      }
      <button class="outlined" @click=${() => this.#dialog().close()}>${refusal}</button>
    </div>`;
  }

  async #open(received: ReceivedSnapshot): Promise<void> {
    const { signal } = this.#work;
    this.#show({ type: 'opening', doneBytes: 0, totalBytes: received.sizeBytes ?? 0 });
    const onProgress = (doneBytes: number, totalBytes: number) =>
      this.#show({ type: 'opening', doneBytes, totalBytes });
    try {
      const backend = await this.#backend;
      if (backend === undefined) return;
      const opened = await received.open(backend, { signal, onProgress });
      // Cancelled after it was made: delete it, since nothing refers to it.
      if (signal.aborted) await backend.delete({ id: opened.id });
      else this.#finish(opened);
    } catch (error) {
      if (!signal.aborted) this.#fail(error);
    }
  }

  #finish(opened: SandboxInfo | undefined): void {
    this.#work.abort();
    this.#decide(opened);
    this.#decide = () => undefined;
    if (this.hasUpdated && this.#dialog().open) this.#dialog().close();
  }

  #fail(error: unknown): void {
    this.#show({ type: 'failed', error: SandboxError.from(error).toData() });
  }

  #show(stage: Stage): void {
    this.#stage = stage;
    this.requestUpdate();
  }

  #dialog(): HTMLDialogElement {
    return this.renderRoot.querySelector('dialog') as HTMLDialogElement;
  }
}
