import { gzipSync, zstdCompressSync } from 'node:zlib';
import { packTar, type TarEntry } from 'modern-tar';

/** A Debian package with these files, for tests. */
export async function makeDeb(
  entries: TarEntry[],
  options: { control?: TarEntry[]; suffix?: string } = {},
): Promise<Uint8Array> {
  const suffix = options.suffix ?? '.gz';
  const control = await packTar(options.control ?? [tarFile('./control', 'Package: demo\nVersion: 1\n')]);
  const data = await packTar(entries);
  const compress =
    { '.gz': gzipSync, '.zst': zstdCompressSync, '': (bytes: Uint8Array) => bytes }[suffix] ?? gzipSync;
  const members: [string, Uint8Array][] = [
    ['debian-binary', Buffer.from('2.0\n')],
    ['control.tar.gz', gzipSync(control)],
    [`data.tar${suffix}`, compress(data)],
  ];
  const parts = members.flatMap(([name, bytes]) => [
    Buffer.from(`${name.padEnd(16)}${''.padEnd(32, '0')}${String(bytes.length).padEnd(10)}\`\n`),
    bytes,
    Buffer.alloc(bytes.length % 2),
  ]);
  return Buffer.concat([Buffer.from('!<arch>\n'), ...parts]);
}

/** A file of a package; `header` makes it something else. */
export function tarFile(name: string, body: string, header: Partial<TarEntry['header']> = {}): TarEntry {
  const mtime = new Date(1_700_000_000_000);
  return { header: { name, size: body.length, type: 'file', mode: 0o644, mtime, ...header }, body };
}
