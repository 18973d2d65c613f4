import { limits } from '../limits.ts';
import {
  absentOr,
  closed,
  flag,
  integer,
  list,
  nothing,
  number,
  record,
  type Schema,
  text,
  textUpTo,
  word,
} from '../schema.ts';
import type {
  GitBranch,
  GitBranches,
  GitChange,
  GitCloneAsk,
  GitCommit,
  GitCredentials,
  GitDiff,
  GitFacet,
  GitFileStatus,
  GitHead,
  GitMerged,
  GitPerson,
  GitProxyAddress,
  GitStatus,
  GitUpstream,
} from './git.ts';
import type { Table } from './row.ts';
import { argument, name, path } from './schemas.ts';

const url = textUpTo(limits.gitUrlCharacters);
const ref = textUpTo(limits.gitRefCharacters);
const directory = { directory: path };

export const gitCredentials: Schema<GitCredentials> = closed<GitCredentials>({
  origin: url,
  username: name,
  password: name,
});

const exchange: {
  readonly credentials: Schema<GitCredentials>;
  readonly proxy: Schema<GitProxyAddress>;
} = {
  credentials: absentOr(gitCredentials),
  proxy: absentOr(closed<GitProxyAddress>({ url, token: name })),
};

const change = word<GitChange>('unchanged', 'added', 'modified', 'deleted', 'untracked', 'conflicted');

const status: Schema<GitStatus> = record<GitStatus>({
  head: absentOr(text),
  branch: absentOr(text),
  files: list(record<GitFileStatus>({ path: text, staged: change, unstaged: change })),
  more: number,
});

const person: Schema<GitPerson> = record<GitPerson>({ name: text, email: text });

const commit: Schema<GitCommit> = record<GitCommit>({
  id: text,
  parents: list(text),
  message: text,
  author: person,
  authoredAtMs: number,
});

const branches: Schema<GitBranches> = record<GitBranches>({
  current: absentOr(text),
  upstream: absentOr(record<GitUpstream>({ name: text, ahead: number, behind: number, isMore: flag })),
  branches: list(record<GitBranch>({ name: text, commit: text, isRemote: flag })),
});

const head: Schema<GitHead> = record<GitHead>({ head: absentOr(text), branch: absentOr(text) });

const merged: Schema<GitMerged> = record<GitMerged>({
  head: absentOr(text),
  branch: absentOr(text),
  kind: word('up-to-date', 'fast-forward', 'merge'),
});

const author = absentOr(closed<GitPerson>({ name, email: name }));
const paths = list(path, { least: 1, most: limits.gitStatusFiles });

/**
 * What changes a working tree, talks to a server or reads files of the working tree may run programs of the sandbox: hooks,
 * and filters that the repository configures.
 */
export const gitTable: Table<GitFacet> = {
  clone: {
    access: 'run',
    ask: closed<Omit<GitCloneAsk, 'signal'>>({
      ...directory,
      ...exchange,
      url,
      ref: absentOr(ref),
      commit: absentOr(ref),
      submodules: absentOr(flag),
      depth: absentOr(integer(1, 0x7fff_ffff)),
    }),
    takesSignal: true,
    tellsProgress: true,
    gives: 'json',
    answer: head,
  },
  fetch: {
    access: 'run',
    ask: closed({ ...directory, ...exchange, remote: absentOr(ref) }),
    takesSignal: true,
    tellsProgress: true,
    gives: 'json',
    answer: nothing,
  },
  push: {
    access: 'run',
    ask: closed({
      ...directory,
      ...exchange,
      remote: absentOr(ref),
      branch: absentOr(ref),
      force: absentOr(flag),
    }),
    takesSignal: true,
    tellsProgress: true,
    gives: 'json',
    answer: head,
  },
  pull: {
    access: 'run',
    ask: closed({ ...directory, ...exchange, remote: absentOr(ref), branch: absentOr(ref), author }),
    takesSignal: true,
    tellsProgress: true,
    gives: 'json',
    answer: merged,
  },
  merge: { access: 'run', ask: closed({ ...directory, ref, author }), gives: 'json', answer: merged },
  status: { access: 'run', ask: closed(directory), gives: 'json', answer: status },
  diff: {
    access: 'run',
    ask: closed({
      ...directory,
      staged: absentOr(flag),
      from: absentOr(ref),
      to: absentOr(ref),
      paths: absentOr(paths),
    }),
    gives: 'json',
    answer: record<GitDiff>({ patch: text, isCut: flag }),
  },
  add: {
    access: 'run',
    ask: closed({ ...directory, paths: absentOr(paths) }),
    gives: 'json',
    answer: nothing,
  },
  unstage: {
    access: 'run',
    ask: closed({ ...directory, paths: absentOr(paths) }),
    gives: 'json',
    answer: nothing,
  },
  commit: {
    access: 'run',
    ask: closed({
      ...directory,
      message: argument,
      author,
    }),
    gives: 'json',
    answer: commit,
  },
  log: {
    access: 'read',
    ask: closed({ ...directory, ref: absentOr(ref), most: absentOr(integer(1, limits.gitLogCommits)) }),
    gives: 'json',
    answer: list(commit),
  },
  branches: { access: 'read', ask: closed(directory), gives: 'json', answer: branches },
  checkout: {
    access: 'run',
    ask: closed({ ...directory, ref, create: absentOr(flag) }),
    gives: 'json',
    answer: head,
  },
};
