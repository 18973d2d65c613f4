import { html, nothing, type TemplateResult } from 'lit';
import type { GitPerson } from '../../../protocol/sandbox/git.ts';
import { plainLine } from '../text/describe-snapshot.ts';
import { directoryOfUrl } from './find-repositories.ts';
import type { GitTask, SignIn, SignInRequest } from './git-state.ts';

/** What to clone, as it was entered; `name` is of a directory in the sandbox's. */
export interface CloneEntry {
  readonly url: string;
  readonly name: string;
  readonly isWhole: boolean;
}

/** Asks which repository is cloned, and where to below `directory`. */
export function cloneForm(options: {
  readonly directory: string;
  /** Which servers can be reached, if not all. */
  readonly note: string;
  readonly isBusy: boolean;
  readonly submit: (entry: CloneEntry) => unknown;
  readonly cancel: (() => unknown) | undefined;
}): TemplateResult {
  const { directory, note, isBusy, submit, cancel } = options;
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    const data = new FormData(form);
    const url = `${data.get('url')}`.trim();
    const name = `${data.get('name')}`.trim() || directoryOfUrl(url);
    if (name !== '') return void submit({ url, name, isWhole: data.get('whole') !== null });
    const field = form.elements.namedItem('name') as HTMLInputElement;
    field.setCustomValidity('The address has no name for a directory: enter one.');
    field.reportValidity();
    // Another address may have one.
    form.addEventListener('input', () => field.setCustomValidity(''), { once: true });
  };
  return html`<form class="form" aria-label="Clone a repository" @submit=${onSubmit}>
    <label>
      Address of the repository
      <input name="url" required autocomplete="off" spellcheck="false" placeholder="https://git.example.org/team/project.git" />
    </label>
    <label>
      Directory in ${plainLine(directory, 100)}
      <input name="name" autocomplete="off" spellcheck="false" placeholder="as the repository is called" pattern="[^\\/]+" title="A name without slashes" />
    </label>
    <label class="check">
      <input name="whole" type="checkbox" />
      <span>With its whole history. <span class="muted">Otherwise the last commit alone, which is quicker.</span></span>
    </label>
    ${note === '' ? nothing : html`<p class="muted">${note}</p>`}
    <div class="row">
      <button class="primary" ?disabled=${isBusy}>Clone</button>
      ${cancel === undefined ? nothing : html`<button type="button" class="outlined" @click=${cancel}>Cancel</button>`}
    </div>
  </form>`;
}

/** Asks for a name and a password that a server wants; `reach` says who gets them. */
export function signInForm(
  { origin }: SignInRequest,
  reach: string,
  answer: (signIn: SignIn | undefined, options: { readonly keep: boolean }) => unknown,
): TemplateResult {
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    const data = new FormData(form);
    const signIn = { username: `${data.get('username')}`, password: `${data.get('password')}` };
    form.reset();
    answer(signIn, { keep: data.get('keep') !== null });
  };
  return html`<form class="form ask" aria-label=${`Sign in at ${origin}`} @submit=${onSubmit}>
    <p role="status"><strong>${plainLine(origin, 200)}</strong> asks who you are. ${reach} This page does not store it.</p>
    <label>User <input name="username" required autocomplete="off" spellcheck="false" /></label>
    <label>Password or token <input name="password" type="password" required autocomplete="off" /></label>
    <label class="check"><input name="keep" type="checkbox" /> <span>Use it again until this page is closed.</span></label>
    <div class="row">
      <button class="primary">Sign in</button>
      <button type="button" class="outlined" @click=${() => answer(undefined, { keep: false })}>Cancel</button>
    </div>
  </form>`;
}

/** Work with a server: what git says of it, how many of the objects it has, and a button to cancel it. */
export function taskBar({ title, text, share }: GitTask, cancel: () => unknown): TemplateResult {
  return html`<div class="task">
    <span class="ellipsis">${title}${text === '' ? ' …' : html` <span class="muted">${text}</span>`}</span>
    <button class="outlined" @click=${cancel}>Cancel</button>
    <progress aria-label=${title} max="1" .value=${share ?? 0}></progress>
  </div>`;
}

/** A message, and who commits if the repository does not say. */
export function commitForm(options: {
  readonly staged: number;
  readonly author: GitPerson | undefined;
  /** Whether git has asked who the author is. */
  readonly needsAuthor: boolean;
  /** The message as far as it is written. */
  readonly draft: string;
  readonly isBusy: boolean;
  readonly write: (draft: string) => void;
  /** Told who is entered as the author: a merge that a pull makes has one too. */
  readonly nameAuthor: (author: GitPerson) => void;
  readonly submit: (message: string, author: GitPerson | undefined) => Promise<boolean>;
}): TemplateResult {
  const { staged, author, needsAuthor, draft, isBusy, write, nameAuthor, submit } = options;
  const onSubmit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (isBusy || staged === 0) return;
    const form = event.target as HTMLFormElement;
    if (!(await submit(`${new FormData(form).get('message')}`, authorIn(form)))) return;
    (form.elements.namedItem('message') as HTMLTextAreaElement).value = '';
    write('');
  };
  const onAuthor = (event: Event): void => {
    const form = (event.currentTarget as HTMLElement).closest('form');
    const person = form === null ? undefined : authorIn(form);
    if (person !== undefined) nameAuthor(person);
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey))
      (event.currentTarget as HTMLFormElement).requestSubmit();
  };
  return html`<form class="form commit" aria-label="Commit" @submit=${onSubmit} @keydown=${onKey}>
    <textarea name="message" rows="2" required .value=${draft} @input=${(event: InputEvent) => write((event.target as HTMLTextAreaElement).value)} aria-label="Message of the commit" placeholder="What this changes, and why"></textarea>
    <details ?open=${needsAuthor} @change=${onAuthor}>
      <summary>Author ${author === undefined ? html`<span class="muted">as configured</span>` : plainLine(author.name, 60)}</summary>
      <label>Name <input name="name" autocomplete="name" .value=${author?.name ?? ''} /></label>
      <label>E-mail <input name="email" type="email" autocomplete="email" .value=${author?.email ?? ''} /></label>
    </details>
    <button class="primary" ?disabled=${isBusy || staged === 0}>${staged === 0 ? 'Nothing is staged' : `Commit ${staged} ${staged === 1 ? 'file' : 'files'}`}</button>
  </form>`;
}

/** `undefined` unless both fields are filled in. */
function authorIn(form: HTMLFormElement): GitPerson | undefined {
  const data = new FormData(form);
  const person = { name: `${data.get('name')}`.trim(), email: `${data.get('email')}`.trim() };
  return person.name !== '' && person.email !== '' ? person : undefined;
}
