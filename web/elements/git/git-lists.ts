import { html, nothing, type TemplateResult } from 'lit';
import type { GitChange, GitCommit, GitFileStatus, GitStatus } from '../../../protocol/sandbox/git.ts';
import { plainLine } from '../text/describe-snapshot.ts';
import { relativeTime } from '../text/relative-time.ts';

/** Rows drawn of a list. */
const mostRows = 500;

const signs: { readonly [change in GitChange]: string } = {
  unchanged: '',
  added: '+',
  modified: 'M',
  deleted: '−',
  untracked: '?',
  conflicted: '!',
};

/** A file of the index or of the working tree, whose diff is shown. */
export interface GitSelection {
  readonly path: string;
  readonly isStaged: boolean;
}

export interface StatusOptions {
  readonly status: GitStatus;
  readonly selection: GitSelection | undefined;
  readonly isFixed: boolean;
  readonly isBusy: boolean;
  readonly select: (selection: GitSelection) => unknown;
  readonly stage: (paths?: readonly string[]) => unknown;
  readonly unstage: (paths?: readonly string[]) => unknown;
}

export function isStaged({ staged }: GitFileStatus): boolean {
  return staged !== 'unchanged' && staged !== 'untracked';
}

/** What a commit would take, and what else has changed. */
export function statusLists(options: StatusOptions): TemplateResult {
  const { files, more } = options.status;
  const staged = files.filter(isStaged);
  const unstaged = files.filter((file) => file.unstaged !== 'unchanged');
  if (files.length === 0) return html`<p class="empty muted">Nothing has changed since the last commit.</p>`;
  return html`
    ${
      staged.length === 0
        ? nothing
        : renderGroup('Staged', staged, {
            ...options,
            isStaged: true,
            verb: 'Unstage',
            move: options.unstage,
            moveAll: () => options.unstage(),
          })
    }
    ${
      unstaged.length === 0
        ? nothing
        : renderGroup('Changes', unstaged, {
            ...options,
            isStaged: false,
            verb: 'Stage',
            move: options.stage,
            moveAll: () => options.stage(),
          })
    }
    ${more > 0 ? html`<p class="empty muted">${more} more files are not listed.</p>` : nothing}
  `;
}

interface GroupOptions extends StatusOptions {
  readonly isStaged: boolean;
  readonly verb: string;
  readonly move: (paths: readonly string[]) => unknown;
  readonly moveAll: () => unknown;
}

function renderGroup(title: string, files: readonly GitFileStatus[], options: GroupOptions): TemplateResult {
  const { verb, moveAll, isFixed, isBusy } = options;
  return html`<div class="group">
      <h3 tabindex="-1">${title} <span class="number muted">${files.length}</span></h3>
      ${isFixed ? nothing : html`<button aria-disabled=${isBusy} @click=${moveAll}>${verb} all</button>`}
    </div>
    <ul aria-label=${title}>
      ${files.slice(0, mostRows).map((file) => renderFile(file, options))}
      ${files.length > mostRows ? html`<li class="empty muted">and ${files.length - mostRows} more</li>` : nothing}
    </ul>`;
}

function renderFile({ path, staged, unstaged }: GitFileStatus, options: GroupOptions): TemplateResult {
  const { selection, isFixed, verb, move, select } = options;
  const change = options.isStaged ? staged : unstaged;
  const name = plainLine(path, 1_000);
  const isShown = selection?.path === path && selection.isStaged === options.isStaged;
  return html`<li>
    <button
      class="entry"
      aria-current=${isShown}
      title=${`${change} ${name}`}
      @click=${() => select({ path, isStaged: options.isStaged })}
    >
      <span class=${`sign ${change}`} aria-hidden="true">${signs[change]}</span>
      <span class="hidden-text">${change}</span>
      <span class="path ellipsis">${name}</span>
    </button>
    ${isFixed ? nothing : html`<button class="move" aria-label=${`${verb} ${name}`} @click=${() => move([path])}>${verb}</button>`}
  </li>`;
}

/** The commits that lead to HEAD, newest first. */
export function logList(log: readonly GitCommit[]): TemplateResult {
  if (log.length === 0) return html`<p class="empty muted">There is no commit yet.</p>`;
  return html`<ol class="log" aria-label="Commits">
    ${log.map(
      ({ id, message, author, authoredAtMs }) =>
        html`<li title=${plainLine(message, 500)}>
          <span class="subject ellipsis">${plainLine(message.split('\n')[0] ?? '', 200)}</span>
          <span class="muted ellipsis"
            ><code>${id.slice(0, 7)}</code> · ${plainLine(author.name, 60)} · ${relativeTime(authoredAtMs, Date.now())}</span
          >
        </li>`,
    )}
  </ol>`;
}
