/** One entry of an initramfs. */
export interface CpioEntry {
  /** Relative, without a leading slash. */
  readonly path: string;
  /** S_IFMT bits and permissions. */
  readonly mode: number;
  readonly bytes?: Uint8Array;
  /** Of a device. */
  readonly device?: { readonly major: number; readonly minor: number };
}

const magic = '070701';
const trailer: CpioEntry = { path: 'TRAILER!!!', mode: 0 };
const alignment = 4;

/**
 * An archive in the "new ASCII" format that Linux unpacks as initramfs
 * (Documentation/driver-api/early-userspace/buffer-format.rst). All owned by root, all times zero.
 */
export function encodeCpio(entries: readonly CpioEntry[]): Uint8Array {
  const parts = [...entries, trailer].flatMap((entry, index) => {
    const bytes = entry.bytes ?? new Uint8Array();
    const { major, minor } = entry.device ?? { major: 0, minor: 0 };
    const name = `${entry.path}\0`;
    const inode = entry === trailer ? 0 : index + 1;
    const fields = [
      inode,
      entry.mode,
      0,
      0,
      1,
      0,
      bytes.length,
      0,
      0,
      major,
      minor,
      Buffer.byteLength(name),
      0,
    ];
    const header = magic + fields.map((field) => field.toString(16).padStart(8, '0')).join('') + name;
    return [pad(Buffer.from(header)), pad(bytes)];
  });
  return Buffer.concat(parts);
}

function pad(bytes: Uint8Array): Uint8Array {
  const padded = new Uint8Array(Math.ceil(bytes.length / alignment) * alignment);
  padded.set(bytes);
  return padded;
}
