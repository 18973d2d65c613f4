import { type ErrorCode, SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';

/** What git says in English when it fails, what that is to a caller, and what to do about it. The first that fits. */
const failures: readonly (readonly [said: RegExp, code: ErrorCode, remedy: string])[] = [
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
  [/transport '.*' not allowed/, 'invalid-argument', 'the server led to a URL of another kind'],
];

const unreachable =
  'Check the URL, and that the sandbox reaches that server: one without `"network": "full"` reaches none. Then try again.';

/** Why a clone of `url` failed, by what git said last: data of a stranger, of which one line is told. */
export function gitFailure(url: string, said: string): SandboxError {
  const lines = said.split(/[\r\n]+/).map(plainLine);
  const why =
    lines.findLast((line) => /^(fatal|error): /.test(line)) ?? lines.findLast((line) => line !== '');
  const [, code, remedy] = failures.find(([pattern]) => pattern.test(said)) ?? [];
  const message = `Cannot clone "${url}": ${why?.slice(0, limits.gitLineCharacters) ?? 'git says nothing'}${remedy ? `; ${remedy}` : ''}`;
  // What is left is the network between, or the server.
  const details = { url, remedy: remedy ? sentence(remedy) : unreachable };
  return new SandboxError(code ?? 'asset-unavailable', message, { details });
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** One line for people: nothing that moves a cursor or hides. */
export function plainLine(text: string): string {
  return text.replaceAll(/[\s\p{C}]+/gu, ' ').trim();
}
