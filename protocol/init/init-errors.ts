import { type ErrorCode, SandboxError } from '../errors.ts';

/** Linux errno numbers that init answers with, their names, and the error codes they become. */
const errnos: Readonly<Record<number, readonly [name: string, code: ErrorCode]>> = {
  1: ['EPERM', 'invalid-argument'],
  2: ['ENOENT', 'not-found'],
  4: ['EINTR', 'aborted'],
  7: ['E2BIG', 'limit-exceeded'],
  8: ['ENOEXEC', 'invalid-argument'],
  11: ['EAGAIN', 'busy'],
  12: ['ENOMEM', 'busy'],
  13: ['EACCES', 'invalid-argument'],
  16: ['EBUSY', 'busy'],
  17: ['EEXIST', 'already-exists'],
  20: ['ENOTDIR', 'invalid-argument'],
  22: ['EINVAL', 'invalid-argument'],
  28: ['ENOSPC', 'storage-full'],
  30: ['EROFS', 'read-only'],
  36: ['ENAMETOOLONG', 'invalid-argument'],
  38: ['ENOSYS', 'unsupported'],
  40: ['ELOOP', 'invalid-argument'],
  71: ['EPROTO', 'protocol-violation'],
  93: ['EPROTONOSUPPORT', 'version-mismatch'],
  95: ['EOPNOTSUPP', 'unsupported'],
  97: ['EAFNOSUPPORT', 'unsupported'],
  99: ['EADDRNOTAVAIL', 'unsupported'],
  101: ['ENETUNREACH', 'unsupported'],
  105: ['ENOBUFS', 'limit-exceeded'],
  110: ['ETIMEDOUT', 'timeout'],
  111: ['ECONNREFUSED', 'not-found'],
};

/** An ERROR frame as the caller's error; `subject` is what it was about. */
export function initError(frame: { errno: number; text: string }, subject = ''): SandboxError {
  const [name, code] = errnos[frame.errno] ?? [`errno ${frame.errno}`, 'machine-failed'];
  const about = subject === '' ? '' : ` ${JSON.stringify(subject)}`;
  return new SandboxError(code, `${frame.text}${about}: ${name}`, { details: { errno: name } });
}

/** Why a port was not reached, by the code of what init answered. */
const connectFailures: { readonly [Code in ErrorCode]?: string } = {
  'not-found': 'nothing listens there',
  timeout: 'who listens there does not answer',
  busy: 'as many processes run as may, and a connection is one of them',
  unsupported: 'programs here have no sockets to listen on',
};

/** The ERROR frame of a CONNECT as the caller's error. */
export function connectError(frame: { errno: number; text: string }, port: number): SandboxError {
  const { code, message, details } = initError(frame);
  const why = connectFailures[code] ?? message;
  return new SandboxError(code, `Cannot connect to port ${port}: ${why}`, { details: { ...details, port } });
}
