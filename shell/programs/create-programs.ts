import { archivePrograms } from './archives/archive-programs.ts';
import { checksumPrograms } from './checksums/checksum-programs.ts';
import { comparePrograms } from './compare/compare-programs.ts';
import { encodingPrograms } from './encodings/encoding-programs.ts';
import { enginePrograms } from './engine/engine-programs.ts';
import { filePrograms } from './files/file-programs.ts';
import { listingPrograms } from './listing/listing-programs.ts';
import { loadedProgram } from './loaded-program.ts';
import { numberPrograms } from './numbers/number-programs.ts';
import { processPrograms } from './processes/process-programs.ts';
import type { Program, Programs } from './program.ts';
import { systemPrograms } from './system/system-programs.ts';
import { textPrograms } from './text/text-programs.ts';
import type { StartProgramWorker } from './wasm/program-worker.ts';
import { createWasmPrograms } from './wasm/wasm-programs.ts';

const awk = loadedProgram(async () => (await import('./awk/awk.ts')).awk);

/** Those that have a folder each. */
const largePrograms: Readonly<Record<string, Program>> = {
  awk,
  egrep: loadedProgram(async () => (await import('./grep/grep.ts')).egrep),
  fgrep: loadedProgram(async () => (await import('./grep/grep.ts')).fgrep),
  find: loadedProgram(async () => (await import('./find/find.ts')).find),
  grep: loadedProgram(async () => (await import('./grep/grep.ts')).grep),
  mawk: awk,
  nawk: awk,
  sed: loadedProgram(async () => (await import('./sed/sed.ts')).sed),
  sort: loadedProgram(async () => (await import('./sort/sort.ts')).sort),
};

/**
 * All programs by name. `bash` and `sh` are not among them: those are the shell. Without `startWorker` those are missing that
 * need a thread of their own (`jq`, `sqlite3`, `js`).
 */
export function createPrograms({
  startWorker,
}: {
  readonly startWorker?: StartProgramWorker | undefined;
} = {}): Programs {
  return new Map([
    ...enginePrograms,
    ...createWasmPrograms(startWorker),
    ...Object.entries({
      ...textPrograms,
      ...filePrograms,
      ...listingPrograms,
      ...processPrograms,
      ...archivePrograms,
      ...comparePrograms,
      ...systemPrograms,
      ...encodingPrograms,
      ...checksumPrograms,
      ...numberPrograms,
      ...largePrograms,
    }),
  ]);
}
