import { html, nothing, type TemplateResult } from 'lit';
import type { FileInfo } from '../../../protocol/sandbox/files.ts';
import { plainLine } from '../text/describe-snapshot.ts';
import { formatBytes } from '../text/format-bytes.ts';

const kinds = { file: '', directory: '▸', symlink: '→', device: '#', fifo: '|', socket: '=' } as const;

/** What can be done with an entry. */
export interface FileRowOptions {
  readonly fixed: boolean;
  readonly open: () => unknown;
  readonly download: () => unknown;
  readonly rename: () => unknown;
  readonly remove: () => unknown;
}

/** One entry of a directory; what can be done with it shows when the pointer or the focus is on it. */
export function fileRow(file: FileInfo, options: FileRowOptions): TemplateResult {
  const name = plainLine(file.name, 255);
  const target = file.target === undefined ? '' : ` → ${plainLine(file.target, 255)}`;
  const opens = file.type === 'directory' || file.type === 'file';
  return html`<li>
    <button
      class=${`entry ${file.type}`}
      data-path=${file.path}
      ?disabled=${!opens}
      title=${`${name}${target}, mode ${(file.mode & 0o7777).toString(8).padStart(4, '0')}`}
      @click=${options.open}
    >
      <span class="kind" aria-hidden="true">${kinds[file.type]}</span>
      <span class="ellipsis">${name}${target}</span
      >${file.type === 'directory' ? html`<span class="hidden-text">, directory</span>` : nothing}
    </button>
    ${
      file.type === 'file'
        ? html`<span class="size number muted">${formatBytes(file.sizeBytes)}</span>`
        : nothing
    }
    <span class="more">
      ${
        file.type === 'file'
          ? html`<button aria-label=${`Download ${name}`} @click=${options.download}>Download</button>`
          : nothing
      }
      ${
        options.fixed
          ? nothing
          : html`<button aria-label=${`Rename ${name}`} @click=${options.rename}>Rename</button>
            <button aria-label=${`Delete ${name}`} @click=${options.remove}>Delete</button>`
      }
    </span>
  </li>`;
}

/** A field for the name of a new or renamed entry, in its place in the list. */
export function nameForm(options: {
  readonly name: string;
  readonly refusal: string | undefined;
  readonly submit: (name: string) => unknown;
  readonly cancel: () => unknown;
}): TemplateResult {
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const name = new FormData(event.target as HTMLFormElement).get('name');
    options.submit(typeof name === 'string' ? name : '');
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') options.cancel();
  };
  return html`<form @submit=${submit} @keydown=${onKey}>
    <input
      name="name"
      aria-label="Name"
      autocomplete="off"
      spellcheck="false"
      .value=${options.name}
      aria-invalid=${options.refusal !== undefined}
      aria-describedby="refusal"
    />
    <button class="primary">OK</button>
    <button type="button" @click=${options.cancel}>Cancel</button>
    <span id="refusal" role="alert" class="deleted">${options.refusal ?? ''}</span>
  </form>`;
}
