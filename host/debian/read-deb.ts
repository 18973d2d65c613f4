import { promisify } from 'node:util';
import { gunzip, zstdDecompress } from 'node:zlib';
import { unpackTar } from 'modern-tar';
import xz from 'xz-decompress';
import { SandboxError } from '../../protocol/errors.ts';
import { type ArMember, readAr } from './ar.ts';

const maxUnpackedBytes = 1_073_741_824;

/** What an entry of a package's file list can be. Devices and fifos do not occur in packages. */
type DebEntryType = 'file' | 'directory' | 'symlink' | 'hardlink';

/** One file of a package. */
export interface DebEntry {
  /** Absolute, without `.`, `..`, doubled or trailing slashes; `/` is the root. */
  readonly path: string;
  readonly type: DebEntryType;
  /** Permission bits, 07777. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly mtimeSeconds: number;
  /** Of a symlink as it is; of a hard link an absolute path. */
  readonly target: string;
  readonly bytes: Uint8Array;
}

/** A Debian binary package, opened. */
export interface Deb {
  /** The text of its `control` file. */
  readonly control: string;
  /** Of its `md5sums` file, line by line; empty without one. */
  readonly md5sums: string;
  /** Absolute paths of its configuration files. */
  readonly conffiles: readonly string[];
  readonly entries: readonly DebEntry[];
}

/**
 * Opens a package (deb(5)); its maintainer scripts are not looked at.
 * @throws corrupt-object when it is not one, unsupported for a compression that we do not read
 */
export async function readDeb(bytes: Uint8Array): Promise<Deb> {
  try {
    const members = readAr(bytes);
    if (members[0]?.name !== 'debian-binary') throw new RangeError('its first member is not debian-binary');
    const [control, data] = await Promise.all([
      readTar(members, 'control.tar'),
      readTar(members, 'data.tar'),
    ]);
    const text = (path: string) => {
      const entry = control.find((one) => one.path === path);
      return entry ? Buffer.from(entry.bytes).toString('utf8') : '';
    };
    if (!text('/control')) throw new RangeError('it has no control file');
    const conffiles = text('/conffiles')
      .split('\n')
      .filter((line) => line.startsWith('/'));
    return { control: text('/control'), md5sums: text('/md5sums'), conffiles, entries: data };
  } catch (cause) {
    if (cause instanceof SandboxError) throw cause;
    throw new SandboxError('corrupt-object', `Cannot read the package: ${(cause as Error).message}`, {
      cause,
    });
  }
}

async function readTar(members: readonly ArMember[], stem: string): Promise<DebEntry[]> {
  const member = members.find(({ name }) => name === stem || name.startsWith(`${stem}.`));
  if (!member) throw new RangeError(`it has no ${stem}`);
  const tar = await decompress(member.bytes, member.name.slice(stem.length));
  const entries = await unpackTar(tar, { strict: true });
  return entries.map(({ header, data }) => ({
    path: normalise(header.name),
    type: entryType(header.type ?? 'file', header.name),
    mode: (header.mode ?? 0) & 0o7777,
    uid: header.uid ?? 0,
    gid: header.gid ?? 0,
    mtimeSeconds: Math.floor((header.mtime?.getTime() ?? 0) / 1000),
    target: header.type === 'link' ? normalise(header.linkname ?? '') : (header.linkname ?? ''),
    bytes: data ?? new Uint8Array(),
  }));
}

async function decompress(bytes: Uint8Array, suffix: string): Promise<Uint8Array> {
  const options = { maxOutputLength: maxUnpackedBytes };
  switch (suffix) {
    case '':
      return bytes;
    case '.gz':
      return promisify(gunzip)(bytes, options);
    case '.zst':
      return promisify(zstdDecompress)(bytes, options);
    case '.xz':
      return readAll(new xz.XzReadableStream(new Blob([bytes.slice()]).stream()));
    default:
      throw new SandboxError('unsupported', `Cannot read a package compressed as "${suffix}"`, {
        details: { feature: suffix },
      });
  }
}

async function readAll(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const part of stream) {
    sizeBytes += part.length;
    if (sizeBytes > maxUnpackedBytes)
      throw new RangeError(`it unpacks to more than ${maxUnpackedBytes} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function entryType(type: string, name: string): DebEntryType {
  if (type === 'file' || type === 'directory' || type === 'symlink') return type;
  if (type === 'link') return 'hardlink';
  throw new RangeError(`"${name}" is a ${type}`);
}

/** `./usr/bin/` → `/usr/bin`. A name that leaves the root is refused. */
function normalise(name: string): string {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..') || name.includes('\0')) throw new RangeError(`"${name}" leaves the root`);
  return `/${parts.join('/')}`;
}
