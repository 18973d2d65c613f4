import { html, nothing, type TemplateResult } from 'lit';
import { plainLine } from '../text/describe-snapshot.ts';
import type { GitDesk } from './git-desk.ts';
import type { GitSelection } from './git-lists.ts';
import { type FilePatch, parsePatch } from './parse-patch.ts';

/** What was loaded of the selected file: its part of a diff, or all of a file that git does not know. */
export type ShownFile =
  | ({ readonly type: 'patch' } & FilePatch)
  | { readonly type: 'new'; readonly bytes: Uint8Array };

/** Loads what is shown of a file that has changed; `undefined` of one that has not, or that cannot be read. */
export async function loadFile(
  desk: GitDesk,
  { path, isStaged }: GitSelection,
): Promise<ShownFile | undefined> {
  if (changeOf(desk, { path, isStaged }) === 'untracked') {
    const bytes = await desk.read(path);
    return bytes && { type: 'new', bytes };
  }
  const diff = await desk.diff(path, { staged: isStaged });
  return diff && { type: 'patch', ...parsePatch(diff, path) };
}

/** Whether a selected file still differs there. */
export function hasChanged(desk: GitDesk, selection: GitSelection): boolean {
  const change = changeOf(desk, selection);
  return change !== undefined && change !== 'unchanged';
}

/** The diff of one file; `shown` is absent while that loads. */
export function fileDiff(
  { path, isStaged }: GitSelection,
  shown: ShownFile | undefined,
  close: () => unknown,
): TemplateResult {
  return html`
    <div class="file-title">
      <h3 class="ellipsis">${plainLine(path.slice(path.lastIndexOf('/') + 1), 200)}</h3>
      <span class="muted">${isStaged ? 'staged' : 'not staged'}</span>
      <button class="icon" aria-label="Close the diff" @click=${close}>×</button>
    </div>
    ${shown === undefined ? nothing : renderShown(shown)}
  `;
}

function renderShown(shown: ShownFile): TemplateResult {
  if (shown.type === 'new') return html`<coppice-diff .newBytes=${shown.bytes}></coppice-diff>`;
  const { hunks, note } = shown;
  return html`
    ${note === '' ? nothing : html`<p class="empty muted">${note}</p>`}
    ${hunks.length === 0 ? nothing : html`<coppice-diff .hunks=${hunks}></coppice-diff>`}
  `;
}

function changeOf(desk: GitDesk, { path, isStaged }: GitSelection) {
  const file = desk.state.repository?.status.files.find((each) => each.path === path);
  return isStaged ? file?.staged : file?.unstaged;
}
