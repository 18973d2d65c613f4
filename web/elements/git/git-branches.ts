import { html, nothing, type TemplateResult } from 'lit';
import type { GitBranches } from '../../../protocol/sandbox/git.ts';
import { plainLine } from '../text/describe-snapshot.ts';

export interface BranchOptions {
  readonly branches: GitBranches;
  readonly head: string | undefined;
  readonly isFixed: boolean;
  /** Whether the name of a new branch is being entered. */
  readonly isNaming: boolean;
  readonly isBusy: boolean;
  /** The branch that is selected, which a button checks out; `undefined` for the current one. */
  readonly selected: string | undefined;
  readonly select: (ref: string | undefined) => unknown;
  readonly checkout: (ref: string, create: boolean) => unknown;
  readonly name: (isNaming: boolean) => unknown;
}

/** The current branch among the others, to check one out or to make one. */
export function branchBar(options: BranchOptions): TemplateResult {
  if (options.isNaming) return namingForm(options);
  const { branches, head, isFixed, isBusy, select, checkout, name } = options;
  const { current } = branches;
  const selected = options.selected ?? current;
  const choose = (event: Event): void => {
    const ref = (event.target as HTMLSelectElement).value;
    select(ref === '' || ref === current ? undefined : ref);
  };
  const local = branches.branches.filter(({ isRemote }) => !isRemote);
  const others = branches.branches.filter(({ isRemote, name: ref }) => isRemote && !hasLocal(ref, local));
  return html`<select aria-label="Branch" ?disabled=${isFixed} @change=${choose}>
      ${current === undefined ? html`<option value="" .selected=${selected === undefined}>at ${head?.slice(0, 7)}</option>` : nothing}
      ${
        current !== undefined && !local.some(({ name: ref }) => ref === current)
          ? html`<option value=${current} .selected=${selected === current}>${plainLine(current, 60)}</option>`
          : nothing
      }
      ${local.map(({ name: ref }) => html`<option value=${ref} .selected=${ref === selected}>${plainLine(ref, 60)}</option>`)}
      ${others.map(({ name: ref }) => html`<option value=${withoutRemote(ref)} .selected=${withoutRemote(ref) === selected}>${plainLine(ref, 60)}</option>`)}
    </select>
    ${
      options.selected === undefined
        ? nothing
        : html`<button class="outlined" ?disabled=${isBusy || isFixed} @click=${() => checkout(options.selected ?? '', false)}>Check out</button>`
    }
    <button
      class="icon"
      aria-label="New branch"
      title="New branch"
      ?disabled=${isFixed || isBusy || head === undefined}
      @click=${() => name(true)}
    >
      +
    </button>`;
}

function namingForm({ checkout, name }: BranchOptions): TemplateResult {
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault();
    checkout(`${new FormData(event.target as HTMLFormElement).get('branch')}`.trim(), true);
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') name(false);
  };
  return html`<form class="row" aria-label="New branch" @submit=${onSubmit} @keydown=${onKey}>
    <input name="branch" aria-label="Name of the new branch" required autocomplete="off" spellcheck="false" />
    <button class="primary">Make</button>
    <button type="button" @click=${() => name(false)}>Cancel</button>
  </form>`;
}

function hasLocal(remote: string, local: readonly { readonly name: string }[]): boolean {
  return withoutRemote(remote) === 'HEAD' || local.some(({ name }) => name === withoutRemote(remote));
}

/** Git makes a local branch of that name which follows the remote's. */
function withoutRemote(name: string): string {
  return name.slice(name.indexOf('/') + 1);
}
