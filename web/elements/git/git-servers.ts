import { html, nothing, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import type { ErrorData } from '../../../protocol/errors.ts';
import type { GitProxyAddress } from '../../../protocol/sandbox/git.ts';
import type { KnownHost } from '../model/known-host.ts';
import type { SandboxModel } from '../model/sandbox-model.ts';
import { runsInShell } from '../model/sandbox-state.ts';
import type { ErrorAdvice } from '../text/describe-error.ts';
import { adviseOnGit, whereSignInGoes } from './advise-on-git.ts';
import type { GitDesk } from './git-desk.ts';
import { signInForm } from './git-forms.ts';
import type { SignInRequest } from './git-state.ts';

/** The git of a sandbox, and the hosts whose bridges may forward to servers. */
export interface GitReach {
  readonly model: SandboxModel;
  readonly desk: GitDesk;
  readonly hosts: readonly KnownHost[];
}

/** The bridge that requests go through: the git of a machine uses the machine's network instead. */
export function proxyOf({ model, desk, hosts }: GitReach): GitProxyAddress | undefined {
  if (!runsInShell(model.state)) return undefined;
  return hosts.find(({ bridge }) => bridge.url === desk.through)?.bridge;
}

/** How git servers are reached: few let a page read their answers, but a bridge can forward. */
export function reachBar(
  { model, desk, hosts }: GitReach,
  onChange: () => unknown,
): TemplateResult | typeof nothing {
  if (!runsInShell(model.state) || hosts.length === 0) return nothing;
  const choose = (event: Event): void => {
    desk.through = (event.target as HTMLSelectElement).value;
    onChange();
  };
  return html`<div class="bar">
    <label>
      <span class="muted">Reach git servers</span>
      <select @change=${choose}>
        <option value="" .selected=${desk.through === ''}>directly</option>
        ${hosts.map(({ name, bridge }) => html`<option value=${bridge.url} .selected=${bridge.url === desk.through}>through ${name}</option>`)}
      </select>
    </label>
  </div>`;
}

/** Asks who is there, and says who gets the answer. What is entered is not left in the form for another server or sandbox. */
export function askSignIn({ model, desk, hosts }: GitReach, signIn: SignInRequest): unknown {
  const { origin, through } = signIn;
  const { info } = model.state;
  const reach = whereSignInGoes(origin, {
    through: hosts.find(({ bridge }) => bridge.url === through)?.name ?? through,
    host: model.host?.name,
    isShell: runsInShell(model.state),
  });
  const form = signInForm(signIn, reach, (answer, options) => desk.signIn(answer, options));
  return keyed(JSON.stringify([info?.id, origin, through]), form);
}

/** What helps after an error of git in this sandbox. */
export function adviseHere(reach: GitReach, problem: ErrorData): ErrorAdvice {
  return adviseOnGit(problem, {
    hosts: reach.hosts.map(({ name }) => name),
    isThrough: proxyOf(reach) !== undefined,
  });
}
