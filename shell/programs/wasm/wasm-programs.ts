import type { Program } from '../program.ts';
import { type StartProgramWorker, wasmPrograms } from './program-worker.ts';
import { wasmProgram } from './wasm-program.ts';

/** Programs that run in threads, by name: none where threads cannot be started. */
export function createWasmPrograms(
  startWorker: StartProgramWorker | undefined,
): readonly (readonly [string, Program])[] {
  if (startWorker === undefined) return [];
  return wasmPrograms.map((name) => [name, wasmProgram(name, startWorker)]);
}
