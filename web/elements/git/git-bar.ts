import { html, nothing, type TemplateResult } from 'lit';
import type { GitUpstream } from '../../../protocol/sandbox/git.ts';
import { plainLine } from '../text/describe-snapshot.ts';
import { type BranchOptions, branchBar } from './git-branches.ts';
import type { GitState, RepositoryView } from './git-state.ts';

export interface BarOptions {
  readonly state: GitState;
  readonly repository: RepositoryView;
  readonly branch: Omit<BranchOptions, 'branches' | 'head'>;
  readonly view: 'changes' | 'log';
  readonly isCloning: boolean;
  readonly choose: (directory: string) => unknown;
  readonly exchange: (type: 'push' | 'fetch' | 'pull') => unknown;
  readonly setView: (view: 'changes' | 'log') => unknown;
  readonly setCloning: (isCloning: boolean) => unknown;
  readonly readAgain: () => unknown;
}

const titles = { changes: 'Status', log: 'Commits' } as const;

/** Which repository and branch is shown, what can be done with its server, and what is listed of it. */
export function repositoryBar(options: BarOptions): TemplateResult {
  const { state, branch, view, isCloning, exchange, setView, setCloning, readAgain } = options;
  const { branches, status } = options.repository;
  const { isFixed } = branch;
  const isBusy = isFixed || state.task !== undefined;
  return html`<div class="bar">
      ${repositoryName(options)}
      ${branchBar({ ...branch, branches, head: status.head })}
      ${branches.upstream === undefined ? nothing : distance(branches.upstream)}
      <span class="spring"></span>
      <button class="outlined" ?disabled=${isBusy} @click=${() => exchange('fetch')}>Fetch</button>
      <button class="outlined" ?disabled=${isBusy} @click=${() => exchange('pull')}>Pull</button>
      <button class="outlined" ?disabled=${isBusy} @click=${() => exchange('push')}>Push</button>
    </div>
    <div class="bar">
      ${(['changes', 'log'] as const).map(
        (each) => html`<button aria-pressed=${view === each && !isCloning} @click=${() => setView(each)}>
          ${titles[each]}
        </button>`,
      )}
      <span class="spring"></span>
      <button ?disabled=${isFixed} aria-pressed=${isCloning} @click=${() => setCloning(!isCloning)}>Clone another</button>
      <button class="icon" aria-label="Read again" title="Read again" @click=${readAgain}>↻</button>
    </div>
    ${
      state.looked < state.directories
        ? html`<p class="note muted">${state.looked} of ${state.directories} directories were looked into.</p>`
        : nothing
    }`;
}

/** How far the branch is from the one that it follows; nothing where both are at the same commit. */
function distance({ name, ahead, behind, isMore }: GitUpstream): TemplateResult | typeof nothing {
  if (ahead === 0 && behind === 0) return nothing;
  const least = isMore ? 'at least ' : '';
  const words = [
    ...(ahead === 0 ? [] : [`${least}${ahead} ahead of`]),
    ...(behind === 0 ? [] : [`${least}${behind} behind`]),
  ];
  const text = `${words.join(' and ')} ${plainLine(name, 60)}`;
  const more = isMore ? '+' : '';
  return html`<span class="number muted" role="img" aria-label=${text} title=${text}
    >${ahead === 0 ? '' : `↑${ahead}${more}`} ${behind === 0 ? '' : `↓${behind}${more}`}</span
  >`;
}

function repositoryName({ state: { repositories = [] }, repository, choose }: BarOptions): TemplateResult {
  const { directory } = repository;
  if (repositories.length < 2)
    return html`<strong class="ellipsis" title=${directory}>${nameOf(directory)}</strong>`;
  const onChange = (event: Event): void => void choose((event.target as HTMLSelectElement).value);
  return html`<select aria-label="Repository" @change=${onChange}>
    ${repositories.map((path) => html`<option value=${path} .selected=${path === directory}>${nameOf(path)}</option>`)}
  </select>`;
}

function nameOf(directory: string): string {
  return plainLine(directory.slice(directory.lastIndexOf('/') + 1) || '/', 60);
}
