import { archivePrograms } from './archives/archive-programs.ts';
import { awk } from './awk/awk.ts';
import { checksumPrograms } from './checksums/checksum-programs.ts';
import { comparePrograms } from './compare/compare-programs.ts';
import { encodingPrograms } from './encodings/encoding-programs.ts';
import { enginePrograms } from './engine/engine-programs.ts';
import { filePrograms } from './files/file-programs.ts';
import { find } from './find/find.ts';
import { egrep, fgrep, grep } from './grep/grep.ts';
import { listingPrograms } from './listing/listing-programs.ts';
import { numberPrograms } from './numbers/number-programs.ts';
import { processPrograms } from './processes/process-programs.ts';
import type { Programs } from './program.ts';
import { sed } from './sed/sed.ts';
import { sort } from './sort/sort.ts';
import { systemPrograms } from './system/system-programs.ts';
import { textPrograms } from './text/text-programs.ts';
import type { StartProgramWorker } from './wasm/program-worker.ts';
import { createWasmPrograms } from './wasm/wasm-programs.ts';

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
      awk,
      egrep,
      fgrep,
      find,
      grep,
      mawk: awk,
      nawk: awk,
      sed,
      sort,
    }),
  ]);
}
