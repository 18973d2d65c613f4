import type { GitCommit, GitFacet } from '../../protocol/sandbox/git.ts';
import type { ProgressListener } from '../../protocol/sandbox/progress.ts';

const id = 'ab'.repeat(20);
const head = { head: id, branch: 'main' };
const commit: GitCommit = {
  ...{ id, parents: [id], message: 'first', authoredAtMs: 1_000 },
  author: { name: 'Ada', email: 'ada@example.org' },
};

/** A git that answers what it always answers, and notes what it is asked, but for signals. */
export class ScriptedGit implements GitFacet {
  readonly asked: [method: string, ask: object][] = [];
  /** What an exchange does before it answers; it gets the signal of its client. */
  onExchange: (tell: (text: string) => void, signal: AbortSignal | undefined) => Promise<void> =
    async () => {};

  clone: GitFacet['clone'] = (ask, listener) => this.#exchange('clone', ask, listener, head);
  fetch: GitFacet['fetch'] = (ask, listener) => this.#exchange('fetch', ask, listener, undefined);
  push: GitFacet['push'] = (ask, listener) => this.#exchange('push', ask, listener, head);
  pull: GitFacet['pull'] = (ask, listener) =>
    this.#exchange('pull', ask, listener, { ...head, kind: 'fast-forward' });
  merge: GitFacet['merge'] = async (ask) => this.#answer('merge', ask, { ...head, kind: 'merge' });
  status: GitFacet['status'] = async (ask) =>
    this.#answer('status', ask, {
      ...head,
      files: [{ path: 'a', staged: 'added', unstaged: 'unchanged' }],
      more: 0,
    });
  diff: GitFacet['diff'] = async (ask) => this.#answer('diff', ask, { patch: 'diff', isCut: false });
  add: GitFacet['add'] = async (ask) => this.#answer('add', ask, undefined);
  unstage: GitFacet['unstage'] = async (ask) => this.#answer('unstage', ask, undefined);
  commit: GitFacet['commit'] = async (ask) => this.#answer('commit', ask, commit);
  log: GitFacet['log'] = async (ask) => this.#answer('log', ask, [commit]);
  branches: GitFacet['branches'] = async (ask) =>
    this.#answer('branches', ask, {
      current: 'main',
      upstream: { name: 'origin/main', ahead: 1, behind: 2, isMore: false },
      branches: [{ name: 'main', commit: id, isRemote: false }],
    });
  checkout: GitFacet['checkout'] = async (ask) => this.#answer('checkout', ask, head);

  #answer<T>(method: string, ask: object, answer: T): T {
    this.asked.push([method, ask]);
    return answer;
  }

  async #exchange<T>(
    method: string,
    { signal, ...ask }: { readonly signal?: AbortSignal | undefined },
    listener: ProgressListener,
    answer: T,
  ): Promise<T> {
    const progress = { stage: 'git', doneBytes: 0, totalBytes: 0, elapsedMs: 0 } as const;
    await this.onExchange((text) => listener({ ...progress, text }), signal);
    return this.#answer(method, ask, answer);
  }
}
