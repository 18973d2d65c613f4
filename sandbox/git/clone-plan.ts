import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { GitCloneAsk } from '../../protocol/sandbox/git.ts';
import { isCommitId, isRefName } from './git-names.ts';

/** What is to be cloned, checked: fit to be arguments of git. */
export interface ClonePlan {
  readonly url: string;
  readonly scheme: string;
  /** What git may speak, as `GIT_ALLOW_PROTOCOL` has it: nothing that runs a program. */
  readonly protocols: string;
  readonly path: string;
  /** A branch or a tag. */
  readonly ref: string | undefined;
  /** A full id. */
  readonly commit: string | undefined;
}

/** A redirect may lead from http to https, not back. */
const protocols: Readonly<Record<string, string>> = {
  http: 'http:https',
  https: 'https',
  ssh: 'ssh',
  file: 'file',
};

/** Scheme, user, host with its port, and path: no query, no fragment, nothing that is not to be seen. */
const urlPattern = /^([a-z]+):\/\/(?:([^/@?#]*)@)?([^/@?#]*)(\/[^?#]*)$/;
const unseen = /[\s\p{C}]/u;

/** Checks what is to be cloned, before anything is made. `what` begins the error's message. @throws invalid-argument */
export function planClone(
  { url, ref, commit, directory }: Pick<GitCloneAsk, 'url' | 'ref' | 'commit' | 'directory'>,
  what = 'Cannot clone',
): ClonePlan {
  const refuse = (why: string) => new SandboxError('invalid-argument', `${what}: ${why}`);
  const scheme = checkUrl(url, refuse);
  checkPath(directory, refuse);
  if (ref !== undefined && commit !== undefined) throw refuse('it names both a ref and a commit');
  if (ref !== undefined && !isRefName(ref)) throw refuse('its ref is not the name of a branch or a tag');
  if (commit !== undefined && !isCommitId(commit)) {
    throw refuse('its commit is not a full id in lower-case hex');
  }
  return { url, scheme, protocols: protocols[scheme] ?? '', path: directory, ref, commit };
}

type Refuse = (why: string) => SandboxError;

function checkUrl(url: string, refuse: Refuse): string {
  const [, scheme = '', user, host = ''] = urlPattern.exec(url) ?? [];
  const isLong = url.length > limits.gitUrlCharacters;
  if (isLong || unseen.test(url) || !Object.hasOwn(protocols, scheme) || host.startsWith('-')) {
    throw refuse('it is no URL of git that begins with https://, http://, ssh:// or file:///');
  }
  if (scheme === 'file' ? host !== '' || user !== undefined : host === '') {
    throw refuse('its URL has no host, or one too many');
  }
  // The history, the repository's configuration and the list of processes would all show it.
  const isSecret = scheme === 'ssh' ? user?.includes(':') || user?.startsWith('-') : user !== undefined;
  if (isSecret) throw refuse('its URL has a name or a password in it, which the history would keep');
  return scheme;
}

function checkPath(path: string, refuse: Refuse): void {
  const parts = path.split('/').slice(1);
  const isPlain = parts.every((part) => part !== '' && part !== '.' && part !== '..');
  const nameBytes = new TextEncoder().encode(parts.at(-1)).length;
  const isShort = path.length <= limits.nativePathBytes && nameBytes <= limits.workspaceNameBytes;
  if (path.startsWith('/') && isPlain && isShort && !/\p{Cc}/u.test(path)) return;
  throw refuse('its path is not an absolute one of plain names');
}
