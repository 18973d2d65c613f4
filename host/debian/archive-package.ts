import { parseControl, requiredField, type Stanza } from './control-file.ts';

/** One exact package of an archive: what a lock file pins. */
export interface ArchivePackage {
  readonly name: string;
  readonly version: string;
  readonly architecture: string;
  readonly sha256: string;
  readonly sizeBytes: number;
}

const namePattern = /^[a-z0-9][a-z0-9+.-]+$/;
const versionPattern = /^[A-Za-z0-9.+~:-]+$/;
const architecturePattern = /^[a-z0-9-]+$/;
const digestPattern = /^[0-9a-f]{64}$/;

/** Checks a package that was read from a file. @throws RangeError that names what is wrong */
export function checkPackage(value: unknown): ArchivePackage {
  const { name, version, architecture, sha256, sizeBytes } = (value ?? {}) as Partial<ArchivePackage>;
  if (typeof name !== 'string' || !namePattern.test(name)) throw wrong('name', name);
  if (typeof version !== 'string' || !versionPattern.test(version))
    throw wrong(`version of ${name}`, version);
  if (typeof architecture !== 'string' || !architecturePattern.test(architecture)) {
    throw wrong(`architecture of ${name}`, architecture);
  }
  if (typeof sha256 !== 'string' || !digestPattern.test(sha256)) throw wrong(`sha256 of ${name}`, sha256);
  if (typeof sizeBytes !== 'number' || !Number.isSafeInteger(sizeBytes) || sizeBytes < 1) {
    throw wrong(`sizeBytes of ${name}`, sizeBytes);
  }
  return { name, version, architecture, sha256, sizeBytes };
}

/** The packages that the output of `apt-cache show` lists, best candidate first for each name. */
export function parsePackages(text: string): ArchivePackage[] {
  return parseControl(text).map(fromStanza);
}

function fromStanza(stanza: Stanza): ArchivePackage {
  return checkPackage({
    name: requiredField(stanza, 'package'),
    version: requiredField(stanza, 'version'),
    architecture: requiredField(stanza, 'architecture'),
    sha256: requiredField(stanza, 'sha256'),
    sizeBytes: Number(requiredField(stanza, 'size')),
  });
}

function wrong(what: string, value: unknown): RangeError {
  return new RangeError(`The ${what} is not valid: ${JSON.stringify(value)?.slice(0, 80)}`);
}
