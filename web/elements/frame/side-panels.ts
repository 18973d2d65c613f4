import { html, nothing, type TemplateResult } from 'lit';
import type { KnownHost } from '../model/known-host.ts';
import type { SandboxModel } from '../model/sandbox-model.ts';
import type { Workspace } from '../model/workspace.ts';

/** The panels of the right column, in the order of their tabs. */
export const sides = ['changes', 'files', 'git'] as const;
export type Side = (typeof sides)[number];

const titles: { readonly [side in Side]: string } = { changes: 'Changes', files: 'Files', git: 'Git' };
const label = 'Changes, files and git';

export interface SideOptions {
  readonly side: Side;
  readonly pane: SandboxModel | undefined;
  readonly workspace: Workspace | undefined;
  readonly hosts: readonly KnownHost[];
  readonly choose: (side: Side) => void;
  readonly onKey: (event: KeyboardEvent) => void;
}

/** The right column: what changed, the files, or the git repositories of the active pane. */
export function sidePanels(options: SideOptions): TemplateResult {
  const { side, pane, choose, onKey } = options;
  return html`<section class="side" aria-label=${label}>
    <div role="tablist" aria-label=${label} @keydown=${onKey}>
      ${sides.map(
        (each) => html`<button
          role="tab"
          aria-selected=${side === each}
          tabindex=${side === each ? 0 : -1}
          @click=${() => choose(each)}
        >
          ${titles[each]}
        </button>`,
      )}
    </div>
    ${pane === undefined ? nothing : renderPanel(pane, options)}
  </section>`;
}

/** The side that an arrow key leads to from `side`; `undefined` for other keys. */
export function sideAfterKey(side: Side, key: string): Side | undefined {
  const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0;
  return step === 0 ? undefined : sides[(sides.indexOf(side) + step + sides.length) % sides.length];
}

function renderPanel(pane: SandboxModel, { side, workspace, hosts }: SideOptions): TemplateResult {
  switch (side) {
    case 'changes':
      return html`<coppice-changes
        role="tabpanel"
        aria-label="Changes"
        .model=${pane}
        .others=${workspace?.panes.filter((other) => other !== pane) ?? []}
      ></coppice-changes>`;
    case 'files':
      return html`<coppice-files
        role="tabpanel"
        aria-label="Files"
        .model=${pane}
        .notices=${workspace?.notices}
      ></coppice-files>`;
    case 'git':
      return html`<coppice-git role="tabpanel" aria-label="Git" .model=${pane} .hosts=${hosts}></coppice-git>`;
  }
}
