import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import { objectOf, upstreamOf } from '../../../../sandbox/git/library/revisions.ts';
import { compareNames } from '../diff/file-changes.ts';
import { GitCommandError, NotInShellError } from '../git-command-error.ts';
import { dateText } from './date-text.ts';
import { bodyOf, readHistoryCommit, type Signature, signatureOf, subjectOf } from './history-commit.ts';
import { type Ref, shortRef } from './list-refs.ts';
import { upstreamState } from './upstream-state.ts';

/** What is known of a ref, for `--format` and `--sort`. */
export interface RefFacts extends Ref {
  readonly type: string;
  readonly message: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: Signature | undefined;
  readonly committer: Signature | undefined;
  readonly tagger: Signature | undefined;
  /** What an annotated tag is of. */
  readonly target: { readonly oid: string; readonly type: string } | undefined;
}

export async function factsOf(repository: Repository, ref: Ref): Promise<RefFacts> {
  const { type } = await objectOf(repository, ref.oid);
  const none = {
    message: '',
    tree: '',
    parents: [],
    author: undefined,
    committer: undefined,
    tagger: undefined,
    target: undefined,
  };
  if (type === 'tag') {
    const { tag } = await repository.library.readTag({ ...repository.at, oid: ref.oid });
    const tagger = tag.tagger && signatureOf(tag.tagger);
    return {
      ...ref,
      ...none,
      type,
      message: tag.message,
      tagger,
      target: { oid: tag.object, type: tag.type },
    };
  }
  if (type !== 'commit') return { ...ref, ...none, type };
  const commit = await readHistoryCommit(repository, ref.oid);
  const { message, tree, parents, author, committer } = commit;
  return { ...ref, ...none, type, message, tree, parents, author, committer };
}

/** @throws GitCommandError for a field that is not known */
export async function formatRef(repository: Repository, format: string, facts: RefFacts): Promise<string> {
  const parts: string[] = [];
  let at = 0;
  for (const match of format.matchAll(/%(?:\(([^)]*)\)|%|([0-9a-fA-F]{2}))/g)) {
    parts.push(format.slice(at, match.index));
    at = match.index + match[0].length;
    if (match[1] !== undefined) parts.push(await fieldOf(repository, match[1], facts));
    else parts.push(match[2] === undefined ? '%' : String.fromCharCode(Number.parseInt(match[2], 16)));
  }
  return `${parts.join('')}${format.slice(at)}`;
}

async function fieldOf(repository: Repository, field: string, facts: RefFacts): Promise<string> {
  if (field.startsWith('*')) {
    if (!facts.target) return '';
    const target = await factsOf(repository, { name: facts.name, oid: facts.target.oid });
    return fieldOf(repository, field.slice(1), target);
  }
  const [key = '', option] = field.split(/:([\s\S]*)/, 2);
  const who = {
    author: facts.author,
    committer: facts.committer,
    tagger: facts.tagger,
    creator: facts.committer ?? facts.tagger,
  };
  const [, role = '', part = ''] = /^(author|committer|tagger|creator)(name|email|date|)$/.exec(key) ?? [];
  if (role !== '') {
    const person = who[role as keyof typeof who];
    if (!person) return '';
    if (part === 'name') return person.name;
    if (part === 'email') return option === 'trim' ? person.email : `<${person.email}>`;
    if (part === 'date') return dateText(person, option);
    return `${person.name} <${person.email}> ${dateText(person, 'raw')}`;
  }
  const branch = facts.name.startsWith('refs/heads/') ? facts.name.slice(11) : undefined;
  switch (key) {
    case 'refname':
      if (option === undefined) return facts.name;
      if (option === 'short') return shortRef(facts.name);
      break;
    case 'objectname':
      return option?.startsWith('short') ? facts.oid.slice(0, Number(option.slice(6)) || 7) : facts.oid;
    case 'objecttype':
      return facts.type;
    case 'tree':
      return facts.tree;
    case 'parent':
      return facts.parents.join(' ');
    case 'subject':
      return subjectOf(facts.message);
    case 'body':
      return bodyOf(facts.message);
    case 'contents':
      if (option === undefined) return facts.message;
      if (option === 'subject') return subjectOf(facts.message);
      if (option === 'body') return bodyOf(facts.message);
      break;
    case 'HEAD':
      return branch !== undefined && branch === (await repository.branch()) ? '*' : ' ';
    case 'upstream': {
      const ref = branch === undefined ? undefined : await upstreamOf(repository, branch);
      if (ref === undefined || branch === undefined) return '';
      if (option === undefined) return ref;
      if (option === 'short') return shortRef(ref);
      const state = await upstreamState(repository, branch);
      if (!state || (option !== 'track' && option !== 'trackshort')) break;
      if (option === 'trackshort')
        return state.ahead > 0 ? (state.behind > 0 ? '<>' : '>') : state.behind > 0 ? '<' : '=';
      return trackText(state);
    }
  }
  throw new NotInShellError(`fatal: the git of a shell knows no %(${field})`, 128);
}

/** `[ahead 1, behind 2]` */
export function trackText({
  ahead,
  behind,
  isGone,
}: {
  readonly ahead: number;
  readonly behind: number;
  readonly isGone: boolean;
}): string {
  if (isGone) return '[gone]';
  const counts = [ahead > 0 ? `ahead ${ahead}` : '', behind > 0 ? `behind ${behind}` : ''].filter(Boolean);
  return counts.length === 0 ? '' : `[${counts.join(', ')}]`;
}

/** By keys such as `-committerdate`, the last of which counts most. @throws GitCommandError */
export function sortRefs(refs: readonly RefFacts[], keys: readonly string[]): RefFacts[] {
  const sorted = [...refs];
  for (const text of keys) {
    const isDown = text.startsWith('-');
    const compare = comparisonOf(isDown ? text.slice(1) : text);
    sorted.sort((a, b) => (isDown ? -compare(a, b) : compare(a, b)) || compareNames(a.name, b.name));
  }
  return sorted;
}

function comparisonOf(key: string): (a: RefFacts, b: RefFacts) => number {
  const seconds = (role: 'author' | 'committer' | 'tagger' | 'creator') => (each: RefFacts) =>
    (role === 'creator' ? (each.committer ?? each.tagger) : each[role])?.seconds ?? 0;
  const [, role] = /^(author|committer|tagger|creator)date(?::.*)?$/.exec(key) ?? [];
  if (role !== undefined) {
    const of = seconds(role as 'author');
    return (a, b) => of(a) - of(b);
  }
  if (key === 'refname') return (a, b) => compareNames(a.name, b.name);
  if (key === 'objectname') return (a, b) => compareNames(a.oid, b.oid);
  if (key === 'version:refname' || key === 'v:refname')
    return (a, b) => a.name.localeCompare(b.name, 'en', { numeric: true });
  throw new GitCommandError(`fatal: the git of a shell sorts refs by no '${key}'`);
}
