import { type Zippable, zipSync } from 'fflate';
import { SandboxError } from '../../../protocol/errors.ts';
import type { Sandbox } from '../../../sdk/sandbox.ts';
import { fromLatin1 } from '../latin1.ts';
import { type FileEntry, packEntries } from './file-entries.ts';
import { matchPaths } from './match-paths.ts';
import { writeMessagePack } from './message-pack.ts';
import { readTar } from './tar-entries.ts';

export interface ExportTreeOptions {
  readonly path: string;
  readonly format: 'json' | 'binary' | 'zip';
  /** Patterns of what is left out, and of what of that comes all the same. */
  readonly excludes: readonly string[];
  readonly includes: readonly string[];
}

/** What is in a directory, as the package takes it. @throws not-found, limit-exceeded, missing-object */
export async function exportTree(
  sandbox: Sandbox,
  { path, format, excludes, includes }: ExportTreeOptions,
): Promise<Uint8Array> {
  const [isExcluded, isIncluded] = [matchPaths(excludes), matchPaths(includes)];
  const archive = await sandbox.exportTar({ path });
  const entries = await readTar(archive, (entry) => !isExcluded(entry) || isIncluded(entry));
  switch (format) {
    case 'json':
      return new TextEncoder().encode(JSON.stringify(packEntries(entries, textOf)));
    case 'binary':
      return writeMessagePack(packEntries(entries, (bytes) => ({ c: bytes })));
    case 'zip':
      return zipSync(zippable(entries));
  }
}

/** @throws invalid-argument */
export function parseExportFormat(format: unknown): ExportTreeOptions['format'] {
  if (format === 'json' || format === 'binary' || format === 'zip') return format;
  throw new SandboxError(
    'invalid-argument',
    `Cannot export as ${JSON.stringify(format)}: say json, binary or zip`,
  );
}

/** Text as it is; other bytes as a character each. */
function textOf(bytes: Uint8Array): { c: string; b?: true } {
  try {
    return { c: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { c: fromLatin1(bytes), b: true };
  }
}

/** With modes and links, as Info-ZIP writes them for Unix: the upper half of the external attributes is `st_mode`. */
function zippable(entries: readonly FileEntry[]): Zippable {
  const files = Object.create(null) as Zippable;
  for (const entry of entries) {
    const unix = (mode: number) => ({ os: 3, attrs: mode * 0x10000 });
    if (entry.type === 'directory') files[`${entry.path}/`] = [new Uint8Array(0), unix(0o040755)];
    else if (entry.type === 'symlink')
      files[entry.path] = [new TextEncoder().encode(entry.target), unix(0o120777)];
    else files[entry.path] = [entry.bytes, unix(entry.isExecutable ? 0o100755 : 0o100644)];
  }
  return files;
}
