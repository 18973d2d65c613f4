import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { WorkspaceOptions } from '../../protocol/sandbox/backend.ts';
import type { Network } from '../../protocol/sandbox/sandbox-info.ts';

/** What is to be cloned, checked. */
export interface WorkspacePlan {
  readonly url: string;
  /** What git may speak, as `GIT_ALLOW_PROTOCOL` has it: nothing that runs a program. */
  readonly protocols: string;
  readonly path: string;
  /** A branch or a tag. */
  readonly ref: string | undefined;
  /** A full id. */
  readonly commit: string | undefined;
}

/** Where a workspace is unless somebody says otherwise, in every sandbox and all of its forks. */
const usualPath = '/workspace';

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
/** A part of what git takes for the name of a branch or a tag; never an option. */
const refPattern = /^[\p{L}\p{N}_][\p{L}\p{N}_./+@#=-]*$/u;

/**
 * Checks what a workspace is to be cloned from, before anything is made. What comes of it is fit to be
 * arguments of git. @throws invalid-argument; unsupported when the URL needs a network and there is none
 */
export function planWorkspace(
  { git, ref, commit, path = usualPath }: WorkspaceOptions,
  { network }: { readonly network?: Network | undefined },
): WorkspacePlan {
  const scheme = checkUrl(git);
  checkPath(path);
  if (ref !== undefined && commit !== undefined) throw refused('it names both a ref and a commit');
  if (ref !== undefined && (ref.length > limits.gitRefCharacters || !refPattern.test(ref))) {
    throw refused('its ref is not the name of a branch or a tag');
  }
  if (commit !== undefined && !/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(commit)) {
    throw refused('its commit is not a full id in lower-case hex');
  }
  if (scheme !== 'file' && network !== 'full') {
    const remedy =
      'create it with network "full" on a host that has one, or upload an archive of the repository';
    throw new SandboxError('unsupported', `Cannot clone "${git}": the sandbox has no network; ${remedy}`, {
      details: { feature: 'network', url: git },
    });
  }
  return { url: git, protocols: protocols[scheme] ?? '', path, ref, commit };
}

function checkUrl(url: string): string {
  const [, scheme = '', user, host = ''] = urlPattern.exec(url) ?? [];
  const isLong = url.length > limits.gitUrlCharacters;
  if (isLong || unseen.test(url) || !Object.hasOwn(protocols, scheme) || host.startsWith('-')) {
    throw refused('its git is no URL that begins with https://, http://, ssh:// or file:///');
  }
  if (scheme === 'file' ? host !== '' || user !== undefined : host === '') {
    throw refused('its URL has no host, or one too many');
  }
  // The history, the repository's configuration and the list of processes would all show it.
  const isSecret = scheme === 'ssh' ? user?.includes(':') || user?.startsWith('-') : user !== undefined;
  if (isSecret) throw refused('its URL has a name or a password in it, which the history would keep');
  return scheme;
}

function checkPath(path: string): void {
  const parts = path.split('/').slice(1);
  const isPlain = parts.every((part) => part !== '' && part !== '.' && part !== '..');
  const nameBytes = new TextEncoder().encode(parts.at(-1)).length;
  const isShort = path.length <= limits.nativePathBytes && nameBytes <= limits.workspaceNameBytes;
  if (path.startsWith('/') && isPlain && isShort && !/\p{Cc}/u.test(path)) return;
  throw refused('its path is not an absolute one of plain names');
}

function refused(why: string): SandboxError {
  return new SandboxError('invalid-argument', `Cannot set up the workspace: ${why}`, {
    details: { feature: 'workspace' },
  });
}
