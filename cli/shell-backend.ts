import type { ShellBackendOptions } from '../runtimes/shell/shell-backend.ts';
import { shellBackend as portableShellBackend } from '../runtimes/shell/shell-backend.ts';
import { startProgramWorker } from '../shell/node/start-program-worker.ts';

/** Sandboxes of runtime `shell` in this process, kept in its memory: no bridge, no image, and gone with the process. */
export function shellBackend(options: ShellBackendOptions = {}): ReturnType<typeof portableShellBackend> {
  return portableShellBackend({ ...options, startWorker: startProgramWorker });
}
