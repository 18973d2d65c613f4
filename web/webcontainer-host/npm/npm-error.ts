/** Why a command of npm failed, under the code that npm says for it, or one like it where npm has none. */
export class NpmError extends Error {
  override readonly name = 'NpmError';
  readonly code: NpmErrorCode;

  constructor(code: NpmErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export type NpmErrorCode =
  /** The registry has no such package, no such version; what it sent is not what it announced; it cannot be reached. */
  | 'E404'
  | 'ETARGET'
  | 'EINTEGRITY'
  | 'EREGISTRY'
  | 'ENOREGISTRY'
  /** An archive that is damaged, or has members that lead out of the package. */
  | 'EBADARCHIVE'
  /** Packages that exclude each other, or this machine. */
  | 'ERESOLVE'
  | 'EOVERRIDE'
  | 'EBADPLATFORM'
  /** A project or a lock that cannot be read, is not there, or says something else than the other. */
  | 'EJSONPARSE'
  | 'ENOENT'
  | 'EUSAGE'
  | 'EINVALIDPACKAGENAME'
  | 'EINVALIDTAGNAME'
  | 'ENOSCRIPT'
  /** What npm does and this does not, and bounds. */
  | 'EUNSUPPORTED'
  | 'ELIMIT'
  | 'ECANCELED';
