import { type ErrorCode, SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';

type Failure = readonly [said: RegExp, code: ErrorCode, remedy: string];

/** What git says in English when it fails, what that is to a caller, and what to do about it. The first that fits. */
const failures: readonly Failure[] = [
  [/No space left/i, 'storage-full', 'make the sandbox with a larger disk'],
  [/Remote branch .* not found/, 'not-found', 'name a branch or a tag that the repository has'],
  [
    /not our ref|reference is not a tree|unadvertised object|unable to read tree/,
    'not-found',
    'name a commit that the repository has',
  ],
  [/dubious ownership/, 'forbidden', 'let the repository belong to the user of the sandbox'],
  [
    /could not read Username|Authentication failed|Permission denied \(|Host key verification failed/,
    'forbidden',
    'upload an archive of a repository that is not public',
  ],
  [
    /repository .* not found|does not appear to be a git repository|does not exist|Repository not found/i,
    'not-found',
    'check the URL',
  ],
  [
    /cannot run ssh|ssh: not found|unable to find remote helper/,
    'unsupported',
    'use a URL of another kind, or an image with what git lacks',
  ],
  [/invalid path '|file '\.git\//, 'invalid-argument', 'the repository holds a name that git does not allow'],
  [/transport '.*' not allowed/, 'invalid-argument', 'the server led to a URL of another kind'],
];

/** What git says where it knows no author. */
const authorless = /tell me who you are|empty ident|auto-detect email/i;

/** The same for what is done in a repository. */
const stepFailures: readonly Failure[] = [
  [
    /not a git repository|cannot change to/,
    'not-found',
    'name the top directory of a repository, or clone one there',
  ],
  [
    /\[rejected\]|\[remote rejected\]|non-fast-forward|fetch first|failed to push/,
    'conflict',
    'fetch first, and commit on top of what the remote branch has',
  ],
  [
    /would be overwritten|would lose untracked files|commit your changes or stash/,
    'conflict',
    'commit the changes first',
  ],
  [
    /not concluded your|unmerged files|exiting because of/,
    'conflict',
    'conclude the merge that is under way',
  ],
  [
    /refusing to merge unrelated histories/,
    'unsupported',
    'fetch more of the history, if the clone is a shallow one',
  ],
  [
    /index\.lock|cannot lock ref/,
    'conflict',
    'another git works in the repository: try again when it has ended',
  ],
  [/a branch named .* already exists/, 'already-exists', 'choose another name'],
  [authorless, 'invalid-argument', 'name the author, or configure user.name and user.email'],
  [
    /nothing to commit|nothing added to commit|no changes added/,
    'invalid-argument',
    'add what is to be committed first',
  ],
  [
    /did not match any file|unknown revision|bad revision|ambiguous argument|invalid reference|src refspec|not a commit|not something we can merge|couldn't find remote ref|No such remote/i,
    'not-found',
    'see status, branches and log for what there is',
  ],
];

const unreachable =
  'Check the URL, and that the sandbox reaches that server: one without `"network": "full"` reaches none. Then try again.';

/** Why a clone of `url` failed, by what git said last: data of a stranger, of which one line is told. */
export function gitFailure(url: string, said: string): SandboxError {
  const { code, why, remedy } = explain(said, failures);
  const message = `Cannot clone "${url}": ${why}${remedy ? `; ${remedy}` : ''}`;
  // What is left is the network between, or the server.
  const details = { url, remedy: remedy ? sentence(remedy) : unreachable, ...needs(said) };
  return new SandboxError(code ?? 'asset-unavailable', message, { details });
}

/** Why a step in a repository failed. `what` begins the message. `isExchange`: it talked to a server. */
export function gitStepFailure(
  what: string,
  said: string,
  { isExchange = false }: { readonly isExchange?: boolean } = {},
): SandboxError {
  const { code, why, remedy } = explain(said, [...stepFailures, ...failures]);
  const usual = isExchange ? 'asset-unavailable' : 'invalid-argument';
  const help = remedy ? { remedy: sentence(remedy) } : isExchange ? { remedy: unreachable } : {};
  return new SandboxError(code ?? usual, `${what}: ${why}`, { details: { ...help, ...needs(said) } });
}

function explain(
  said: string,
  known: readonly Failure[],
): { readonly code: ErrorCode | undefined; readonly why: string; readonly remedy: string | undefined } {
  const lines = said.split(/[\r\n]+/).map(plainLine);
  const line =
    lines.findLast((each) => /^(fatal|error): /.test(each)) ?? lines.findLast((each) => each !== '');
  const [, code, remedy] = known.find(([pattern]) => pattern.test(said)) ?? [];
  return { code, why: line?.slice(0, limits.gitLineCharacters) ?? 'git says nothing', remedy };
}

/** What a client that can ask its user looks for. */
function needs(said: string): { readonly needs?: 'credentials' | 'author'; readonly origin?: string } {
  if (authorless.test(said)) return { needs: 'author' };
  const [, origin] =
    /(?:could not read Username for|Authentication failed for) '(https?:\/\/[^/'@]+)/.exec(said) ?? [];
  return origin === undefined ? {} : { needs: 'credentials', origin };
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** One line for people: nothing that moves a cursor or hides. */
export function plainLine(text: string): string {
  return text.replaceAll(/[\s\p{C}]+/gu, ' ').trim();
}
