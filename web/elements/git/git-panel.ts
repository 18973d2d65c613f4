import {
  type CSSResultGroup,
  html,
  LitElement,
  nothing,
  type PropertyDeclarations,
  type TemplateResult,
} from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import type { GitPerson } from '../../../protocol/sandbox/git.ts';
import type { KnownHost } from '../model/known-host.ts';
import type { SandboxModel } from '../model/sandbox-model.ts';
import { Watch } from '../model/watch.ts';
import { panelStyles, sharedStyles } from '../shared.styles.ts';
import { whatGitReaches } from './advise-on-git.ts';
import { workDirectory } from './find-repositories.ts';
import { repositoryBar } from './git-bar.ts';
import { deskOf, type GitDesk } from './git-desk.ts';
import { fileDiff, hasChanged, loadFile, type ShownFile } from './git-file-diff.ts';
import { type CloneEntry, cloneForm, commitForm, taskBar } from './git-forms.ts';
import { type GitSelection, isStaged, logList, statusLists } from './git-lists.ts';
import { gitPanelStyles } from './git-panel.styles.ts';
import { adviseHere, askSignIn, type GitReach, proxyOf, reachBar } from './git-servers.ts';
import type { GitState, RepositoryView, SignInRequest } from './git-state.ts';

/** The git repositories of a sandbox: clone, stage, commit, branch, push. It is about the files of now. */
export class GitPanel extends LitElement {
  static override readonly properties: PropertyDeclarations = {
    model: { attribute: false },
    hosts: { attribute: false },
  };
  static override readonly styles: CSSResultGroup = [sharedStyles, panelStyles, gitPanelStyles];

  declare model: SandboxModel;
  /** The hosts whose bridges may forward requests to git servers. */
  declare hosts: readonly KnownHost[];
  #read = '';
  #view: 'changes' | 'log' = 'changes';
  #selection: GitSelection | undefined;
  #shown: ShownFile | undefined;
  #isCloning = false;
  #isBranching = false;
  /** The branch that is selected to be checked out. */
  #branch: string | undefined;
  #signInAsked: SignInRequest | undefined;

  constructor() {
    super();
    this.hosts = [];
    new Watch(this, () => this.model);
    // An element that was on the page before its code came gets its properties with the first update.
    new Watch(this, () => (this.model === undefined ? undefined : this.#desk()));
  }

  override focus(): void {
    this.#focusOn('input, select, button');
  }

  override render(): TemplateResult | typeof nothing {
    if (this.model.state.history === undefined) return nothing;
    const { state } = this.#desk();
    const reach = this.#reach();
    const { task, signIn, said, problem, repository, repositories } = state;
    const error = problem ?? state.readProblem;
    return html`
      ${repository === undefined ? nothing : this.#renderBar(state, repository)}
      ${reachBar(reach, () => this.requestUpdate())}
      <p class=${task === undefined && said !== '' ? 'note muted' : 'hidden-text'} role="status">${said}</p>
      ${task === undefined || signIn !== undefined ? nothing : taskBar(task, () => this.#desk().cancel())}
      ${signIn === undefined ? nothing : askSignIn(reach, signIn)}
      <coppice-problem
        .error=${error}
        .advice=${error === undefined ? undefined : adviseHere(reach, error)}
        dismissible
        @dismiss=${() => this.#desk().dismiss()}
      ></coppice-problem>
      ${repositories === undefined ? html`<p class="empty muted" role="status">Looking for repositories …</p>` : nothing}
      <div ?hidden=${signIn !== undefined}>
        ${repositories?.length === 0 || this.#isCloning ? this.#renderClone(state) : nothing}
      </div>
      ${repository === undefined || this.#isCloning ? nothing : this.#renderRepository(repository, state)}
    `;
  }

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    if (!changed.has('model')) return;
    this.#view = 'changes';
    this.#selection = undefined;
    this.#shown = undefined;
    this.#isCloning = false;
    this.#isBranching = false;
    this.#branch = undefined;
  }

  /** Reads again when the sandbox is another, or its files have changed. */
  override updated(): void {
    const { connection, state } = this.model;
    const { signIn } = this.#desk().state;
    const isFree = this.matches(':focus-within') || document.activeElement === document.body;
    if (isFree && signIn !== undefined && signIn !== this.#signInAsked) this.#focusOn('[name=username]');
    this.#signInAsked = signIn;
    if (connection === undefined || state.history === undefined) return;
    const wanted = JSON.stringify([state.info?.id, state.history.head, state.history.pending]);
    if (wanted === this.#read) return;
    this.#read = wanted;
    void this.#readAgain();
  }

  #renderBar(state: GitState, repository: RepositoryView): TemplateResult {
    return repositoryBar({
      state,
      repository,
      branch: {
        isFixed: this.#isFixed(),
        isBusy: state.isChanging,
        isNaming: this.#isBranching,
        selected: this.#branch,
        select: (ref) => this.#selectBranch(ref),
        checkout: (ref, create) => this.#checkout(ref, create),
        name: (isNaming) => this.#nameBranch(isNaming),
      },
      view: this.#view,
      isCloning: this.#isCloning,
      choose: (directory) => this.#choose(directory),
      exchange: (type) => this.#desk().exchange(type, proxyOf(this.#reach())),
      setView: (view) => this.#setView(view),
      setCloning: (isCloning) => this.#setCloning(isCloning),
      readAgain: () => this.#readAgain(),
    });
  }

  #renderClone({ repositories = [], task }: GitState): TemplateResult {
    const directory = workDirectory(this.model.state.info);
    const isOnly = repositories.length === 0;
    if (this.#isFixed()) return html`<p class="empty muted">There is no repository in ${directory}.</p>`;
    return html`
      ${isOnly ? html`<p class="empty muted">There is no repository in ${directory} yet. Clone one, or make one in the terminal with <code>git init</code>.</p>` : nothing}
      ${keyed(
        this.#sandbox(),
        cloneForm({
          directory,
          note: whatGitReaches(this.model.state.info, proxyOf(this.#reach()) !== undefined),
          isBusy: task !== undefined,
          submit: (entry) => this.#clone(entry),
          cancel: isOnly ? undefined : () => this.#setCloning(false),
        }),
      )}
    `;
  }

  #renderRepository(repository: RepositoryView, { problem, isChanging }: GitState): TemplateResult {
    const { status, log, directory } = repository;
    if (this.#view === 'log') return html`<div class="lists">${logList(log)}</div>`;
    const selection = this.#selection;
    const desk = this.#desk();
    return html`
      <div class=${selection === undefined ? 'lists' : 'lists above'}>
        ${statusLists({
          status,
          selection,
          isFixed: this.#isFixed(),
          isBusy: isChanging,
          select: (selected) => this.#select(selected),
          stage: (paths) => this.#keepFocus('Changes', () => desk.stage(paths)),
          unstage: (paths) => this.#keepFocus('Staged', () => desk.unstage(paths)),
        })}
      </div>
      ${selection === undefined ? nothing : fileDiff(selection, this.#shown, () => this.#select(undefined))}
      ${
        this.#isFixed()
          ? nothing
          : keyed(
              JSON.stringify([this.#sandbox(), directory]),
              commitForm({
                staged: status.files.filter(isStaged).length,
                author: desk.author,
                needsAuthor: problem?.details.needs === 'author',
                draft: desk.draft,
                isBusy: isChanging,
                write: (draft) => {
                  desk.draft = draft;
                },
                nameAuthor: (author) => {
                  desk.author = author;
                  this.requestUpdate();
                },
                submit: (message, author) => this.#commit(message, author),
              }),
            )
      }
    `;
  }

  #desk(): GitDesk {
    return deskOf(this.model);
  }

  /** Of the model, for what is entered in one sandbox to stay there. */
  #sandbox(): string | undefined {
    return this.model.state.info?.id;
  }

  #isFixed(): boolean {
    return this.model.state.readOnly;
  }

  #reach(): GitReach {
    return { model: this.model, desk: this.#desk(), hosts: this.hosts };
  }

  async #readAgain(): Promise<void> {
    await this.#desk().refresh();
    if (this.#selection !== undefined) await this.#select(this.#selection);
  }

  async #choose(directory: string): Promise<void> {
    await this.#select(undefined);
    await this.#desk().choose(directory);
  }

  async #checkout(ref: string, create: boolean): Promise<void> {
    const { model } = this;
    await this.#select(undefined);
    const isDone = await this.#desk().checkout(ref, { create });
    if (!isDone || this.model !== model) return;
    // Another may have been selected meanwhile.
    if (this.#branch === ref) this.#branch = undefined;
    this.#nameBranch(false);
    await this.updateComplete;
    // The button that was used is gone.
    this.#focusOn('select[aria-label=Branch]');
  }

  #selectBranch(ref: string | undefined): void {
    this.#branch = ref;
    this.requestUpdate();
  }

  /** Keeps the focus in a list of which the focused row goes: on its last row, else on what is left. */
  async #keepFocus(title: string, work: () => Promise<boolean>): Promise<void> {
    const hadFocus = this.shadowRoot?.activeElement !== null;
    await work();
    await this.updateComplete;
    if (!hadFocus || this.shadowRoot?.activeElement !== null) return;
    const rows = this.renderRoot.querySelectorAll<HTMLElement>(`ul[aria-label=${title}] .move`);
    const last = rows.item(rows.length - 1);
    if (last === null) this.#focusOn('h3, textarea');
    else last.focus();
  }

  #focusOn(selector: string): void {
    this.renderRoot.querySelector<HTMLElement>(selector)?.focus();
  }

  #nameBranch(isNaming: boolean): void {
    this.#isBranching = isNaming;
    this.requestUpdate();
    // What had the focus is gone either way.
    const next = isNaming ? '[name=branch]' : '[aria-label="New branch"]';
    void this.updateComplete.then(() => this.#focusOn(next));
  }

  async #clone({ url, name, isWhole }: CloneEntry): Promise<void> {
    const { model } = this;
    const base = workDirectory(this.model.state.info).replace(/\/$/, '');
    const isCloned = await this.#desk().clone(
      { url, directory: `${base}/${name}`, isWhole },
      proxyOf(this.#reach()),
    );
    if (isCloned && this.model === model) this.#setCloning(false);
  }

  async #commit(message: string, author: GitPerson | undefined): Promise<boolean> {
    const desk = this.#desk();
    desk.author = author ?? desk.author;
    const isCommitted = await desk.commit(message, author);
    if (isCommitted) await this.#select(undefined);
    return isCommitted;
  }

  /** Shows the diff of a file, unless it has none any more. */
  async #select(selection: GitSelection | undefined): Promise<void> {
    const desk = this.#desk();
    const shown = selection !== undefined && hasChanged(desk, selection) ? selection : undefined;
    // A file that is read again stays on the screen meanwhile.
    const isSame = shown?.path === this.#selection?.path && shown?.isStaged === this.#selection?.isStaged;
    this.#selection = shown;
    if (!isSame) this.#shown = undefined;
    this.requestUpdate();
    if (shown === undefined) return;
    const loaded = await loadFile(desk, shown);
    if (this.#selection !== shown) return;
    this.#shown = loaded;
    this.requestUpdate();
  }

  #setView(view: 'changes' | 'log'): void {
    this.#view = view;
    this.#setCloning(false);
  }

  #setCloning(isCloning: boolean): void {
    this.#isCloning = isCloning;
    this.requestUpdate();
  }
}
