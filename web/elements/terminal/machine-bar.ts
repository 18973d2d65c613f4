import { html, type TemplateResult } from 'lit';
import { act } from '../model/actions.ts';
import type { LoadingMachine } from '../model/machine-ahead.ts';
import { formatBytes } from '../text/format-bytes.ts';

/** The machine that loads while a shell is used: how far it is, then the way into it. Actions come from `pane`. */
export function machineBar(pane: EventTarget, machine: LoadingMachine): TemplateResult {
  const stay = html`<button class="outlined" @click=${() => act(pane, { type: 'dismiss-machine' })}>
    Stay in this shell
  </button>`;
  switch (machine.stage) {
    case 'loading':
    case 'starting':
      if (machine.waitsFor !== undefined)
        return html`<div class="banner">
          <span>
            <span role="status">A Linux machine comes as soon as this site has made its image</span> (${machine.waitsFor}).
            This shell is ready now.
          </span>
        </div>`;
      return html`<div class="banner">
        <span>
          <span role="status">A Linux machine is ${machine.stage}</span>${bytesOf(machine)}. This shell is ready now.
        </span>
      </div>`;
    case 'ready':
      return html`<div class="banner" role="status">
        <span>A Linux machine is ready. It goes on with this shell’s files, directory, variables and functions.</span>
        <button class="primary" @click=${() => act(pane, { type: 'run-in-machine' })}>Go on in the machine</button>
        ${stay}
      </div>`;
    case 'failed':
      return html`<coppice-problem .error=${machine.error}>
        <button class="outlined" @click=${() => act(pane, { type: 'load-machine' })}>Try again</button>
        ${stay}
      </coppice-problem>`;
  }
}

/** Not part of what is announced: it changes all the time. */
function bytesOf({ stage, doneBytes, totalBytes }: LoadingMachine): string {
  if (stage === 'starting' || totalBytes === 0) return '';
  const [total, unit] = formatBytes(totalBytes).split(' ');
  const unitBytes = totalBytes / Number(total);
  return `, ${(doneBytes / unitBytes).toFixed(1)} of ${total} ${unit}`;
}
