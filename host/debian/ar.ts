/** One member of an ar archive; `bytes` is a view into it. */
export interface ArMember {
  readonly name: string;
  readonly bytes: Uint8Array;
}

const magic = '!<arch>\n';
const headerBytes = 60;
const maxMembers = 64;

/**
 * The members of an ar archive in the common format, as deb(5) wants it: short names, no symbol
 * table. @throws RangeError when it is not one
 */
export function readAr(archive: Uint8Array): ArMember[] {
  if (ascii(archive, 0, magic.length) !== magic) throw new RangeError('Not an ar archive');
  const members: ArMember[] = [];
  for (let at = magic.length; at < archive.length; ) {
    if (members.length === maxMembers)
      throw new RangeError(`An ar archive has more than ${maxMembers} members`);
    if (ascii(archive, at + 58, 2) !== '`\n')
      throw new RangeError(`The ar archive has no member header at ${at}`);
    const name = ascii(archive, at, 16).trimEnd().replace(/\/$/, '');
    const digits = ascii(archive, at + 48, 10).trimEnd();
    const sizeBytes = /^\d+$/.test(digits) ? Number(digits) : Number.NaN;
    const start = at + headerBytes;
    if (!(start + sizeBytes <= archive.length)) throw new RangeError(`The ar member "${name}" is cut off`);
    members.push({ name, bytes: archive.subarray(start, start + sizeBytes) });
    at = start + sizeBytes + (sizeBytes % 2);
  }
  return members;
}

function ascii(bytes: Uint8Array, offset: number, length: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(
    'latin1',
    offset,
    offset + length,
  );
}
