import { type ErrorCode, SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';

const filesInTheWay = 'A file is where git has a directory, or the other way around: move it away.';

/** What the library's errors, and Linux's, are to a caller, and what to do about it. */
const failures: Readonly<Record<string, readonly [code: ErrorCode, remedy?: string]>> = {
  ENOSPC: ['storage-full', 'Make the sandbox with a larger disk.'],
  EROFS: ['read-only'],
  EFBIG: ['limit-exceeded'],
  EEXIST: ['conflict', filesInTheWay],
  ENOTDIR: ['conflict', filesInTheWay],
  EISDIR: ['conflict', filesInTheWay],
  ENOTEMPTY: ['conflict', filesInTheWay],
  NotFoundError: ['not-found', 'See status, branches and log for what there is.'],
  AmbiguousError: ['invalid-argument', 'Give more digits of the commit.'],
  AlreadyExistsError: ['already-exists', 'Choose another name.'],
  CheckoutConflictError: ['conflict', 'Commit the changes first.'],
  CommitNotFetchedError: ['not-found', 'Fetch it first, or clone with a greater depth.'],
  PushRejectedError: ['conflict', 'Fetch first, and commit on top of what the remote branch has.'],
  GitPushError: ['conflict', 'The server refuses the push: ask whoever runs it.'],
  MissingNameError: ['invalid-argument', 'Name the author, or configure user.name and user.email.'],
  InvalidRefNameError: ['invalid-argument'],
  UnsafeFilepathError: ['invalid-argument', 'The repository holds a name that git does not allow.'],
  UnmergedPathsError: ['conflict', 'Resolve the conflicts, and add the files.'],
  MissingParameterError: ['invalid-argument'],
  RemoteCapabilityError: ['unsupported', 'Clone without a depth.'],
};

/** The library takes in nothing from such a server, whatever branch is asked for. */
const unbornHead = [
  'not-found',
  'The HEAD of that repository is at a branch that it does not have: set it to one that is there.',
] as const;
/** What a server that is none of git, or a broken one, leads to: its answer cannot be read. */
const unreadable = ['asset-unavailable', "Check that the URL is a repository's."] as const;

/** Why the library could not do something. `what` begins the message. */
export function libraryFailure(
  what: string,
  cause: unknown,
  { url }: { readonly url?: string } = {},
): SandboxError {
  const [first] = (cause as { readonly errors?: readonly unknown[] }).errors ?? [];
  if (first !== undefined) return libraryFailure(what, first, url === undefined ? {} : { url });
  if (cause instanceof SandboxError) return within(what, cause);
  const {
    code = '',
    message = String(cause),
    data,
  } = cause as {
    readonly code?: string;
    readonly message?: string;
    readonly data?: { readonly statusCode?: number };
  };
  const why = (code === 'UnmergedPathsError' ? unmerged(cause) : message)
    .replaceAll(/[\s\p{C}]+/gu, ' ')
    .trim()
    .slice(0, limits.gitLineCharacters);
  if (code === 'HttpError' || code === 'UserCanceledError')
    return httpFailure(what, { url, status: data?.statusCode ?? 401 });
  const found = url && message === 'Could not find HEAD.' ? unbornHead : undefined;
  const [known, remedy] = found
    ? found
    : Object.hasOwn(failures, code)
      ? (failures[code] ?? unreadable)
      : url
        ? unreadable
        : ['internal' as const];
  const details = {
    ...(url === undefined ? {} : { url }),
    ...(remedy === undefined ? {} : { remedy }),
    ...(code === 'MissingNameError' ? { needs: 'author' } : {}),
  };
  return new SandboxError(known, `${what}: ${why}`, { cause, details });
}

/** The library's own message has the text of a function in the place of the paths. */
function unmerged(cause: unknown): string {
  const { filepaths = [] } =
    (cause as { readonly data?: { readonly filepaths?: readonly string[] } }).data ?? {};
  return `these files have conflicts: ${filepaths.join(', ')}`;
}

/** The same, which says what it kept from being done. */
function within(what: string, cause: SandboxError): SandboxError {
  const { code, message, details } = cause;
  if (message.startsWith(what)) return cause;
  const why = `${message.charAt(0).toLowerCase()}${message.slice(1)}`;
  return new SandboxError(code, `${what}: ${why}`, { details: { ...details }, cause });
}

function httpFailure(
  what: string,
  { url, status }: { readonly url: string | undefined; readonly status: number },
): SandboxError {
  const details = url === undefined ? {} : { url };
  if (status === 401) {
    const origin = url === undefined ? {} : { origin: new URL(url).origin };
    return new SandboxError('forbidden', `${what}: the server asks for credentials, or refuses these`, {
      details: {
        ...details,
        ...origin,
        needs: 'credentials',
        remedy: 'Sign in with a user and a token of that server.',
      },
    });
  }
  if (status === 403) return new SandboxError('forbidden', `${what}: the server refuses it`, { details });
  if (status === 404 || status === 410) {
    return new SandboxError('not-found', `${what}: the server has no such repository`, { details });
  }
  const remedy = 'Try again later.';
  return new SandboxError('asset-unavailable', `${what}: the server answers with status ${status}`, {
    details: { ...details, remedy },
  });
}
