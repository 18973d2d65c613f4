import { hostFolder } from '../../bridge-server/main/host-folder.ts';
import type { Progress } from '../../host/progress.ts';
import { SandboxError } from '../../protocol/errors.ts';
import type { CliContext } from '../context.ts';
import type { OpenedBackend } from './host-in-use.ts';

/** The sandboxes of this host's folder. */
export interface ThisHost {
  /**
   * Holds the folder, or reaches whoever serves it; where there are no jails, making or starting one is refused.
   * @throws busy; unsupported where the environment asks for jails and there are none
   */
  readonly open: (progress: Progress) => Promise<OpenedBackend>;
  /** What is stored there, to list it; nothing where nothing is. */
  readonly read: () => Promise<OpenedBackend | undefined>;
}

/** See `ThisHost.open`. */
export async function openThisHost(progress: Progress): Promise<OpenedBackend> {
  const { openPlace } = await import('../place/open-place.ts');
  const context: CliContext = {
    environment: process.env,
    directory: process.cwd(),
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    signal: new AbortController().signal,
    takeSignals: () => ({ [Symbol.dispose]: () => undefined }),
    openFolder: async (options) => {
      const { openFolderPlace } = await import('../place/open-folder-place.ts');
      // It is not started anew: it is its user's program. Progress goes to its listeners.
      return openFolderPlace(options, context, { progress, entersIdRange: false });
    },
  };
  // A folder that is named counts more than COPPICE_BRIDGE.
  return openPlace({ root: hostFolder(process.env) }, context);
}

/** See `ThisHost.read`. */
export async function readThisHost(): Promise<OpenedBackend | undefined> {
  const { openHostToRead } = await import('../../bridge-server/main/open-host-to-read.ts');
  try {
    return openHostToRead(hostFolder(process.env));
  } catch (error) {
    if (SandboxError.from(error).code === 'not-found') return undefined;
    throw error;
  }
}
