import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { DiskNode } from '../../../bridge-server/roots/disk-node.ts';
import { FolderScanner } from '../../../bridge-server/roots/scan/folder-scanner.ts';
import { FrameReader } from '../../../bridge-server/roots/scan/frame-reader.ts';
import { scanFolder } from '../../../bridge-server/roots/scan/scan-folder.ts';
import type { ScanFrame } from '../../../bridge-server/roots/scan/scan-frames.ts';
import { compileSanitized, sourcesIn } from '../../test/compile-sanitized.ts';

/** The sanitized scanner, in a folder that also holds what is scanned. Remove it when done. */
export interface ScanLab {
  readonly program: string;
  /** A new folder to scan. */
  makeFolder(): string;
  remove(): void;
}

export function openScanLab(): ScanLab {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-scan-'));
  const program = join(folder, 'scan');
  const include = join(import.meta.dirname, '..');
  compileSanitized(program, { sources: sourcesIn(include), include });
  let folders = 0;
  return {
    program,
    makeFolder: () => {
      const path = join(folder, `scanned-${++folders}`);
      mkdirSync(path);
      return path;
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}

/** A folder that is scanned again and again. */
export class ScannedFolder implements AsyncDisposable {
  readonly scanner: FolderScanner;
  known: DiskNode | undefined;

  constructor(program: string, folder: string) {
    this.scanner = new FolderScanner(program, folder);
  }

  /** What changed since the last call, in sorted order; what is gone begins with "-". Nothing counts as changed twice. */
  async changes(options: { racyFromNs?: bigint } = {}): Promise<string[]> {
    const racyFromNs = options.racyFromNs ?? 1n << 62n;
    const scan = await scanFolder(this.scanner, { before: this.known, isUpper: true, racyFromNs });
    this.known = scan.root;
    return scan.changes.map(({ path, now }) => `${now ? '' : '-'}${path || '.'}`).sort();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.scanner[Symbol.asyncDispose]();
  }
}

/** Runs the scanner on all `requests` to its end. */
export function runScan(
  program: string,
  options: { folder: string; requests: readonly Uint8Array[]; maxFiles?: number; maxPathBytes?: number },
): SpawnSyncReturns<Buffer> {
  const { folder, requests, maxFiles = 1_000_000, maxPathBytes = 4_000 } = options;
  return spawnSync(program, [folder, String(maxFiles), String(maxPathBytes)], {
    input: Buffer.concat(requests),
    maxBuffer: 2 ** 30,
  });
}

/** The frames in `output`. */
export async function framesIn(output: Uint8Array, { pieceBytes = 65_536 } = {}): Promise<ScanFrame[]> {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < output.length; at += pieceBytes) pieces.push(output.subarray(at, at + pieceBytes));
  const reader = new FrameReader(Readable.from(pieces));
  const frames: ScanFrame[] = [];
  for (let left = output.length; left > 0; ) {
    const frame = await reader.next().catch(() => undefined);
    if (frame === undefined) break;
    frames.push(frame);
    left -= 1;
  }
  return frames;
}
