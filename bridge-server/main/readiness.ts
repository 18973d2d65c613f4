import { access, constants, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReadyRow } from '../http/bridge-options.ts';

export interface ReadinessParts {
  /** That of the bridge. */
  readonly folder: string;
  /** Where a token for everything is kept, for a service. */
  readonly tokenFile: string | undefined;
}

/** Whether a bridge that listens can do its work. */
export interface Readiness {
  /** Its images are unpacked, and its token file is there. */
  noteStarted(): void;
  /** What it needs, each looked at now: nothing in it tells of a sandbox or of where files are. */
  look(): Promise<readonly ReadyRow[]>;
}

export function readiness({ folder, tokenFile }: ReadinessParts): Readiness {
  let hasStarted = false;
  const looks: Readonly<Record<string, () => Promise<unknown>>> = {
    images: async () => {
      if (!hasStarted) throw new Error('They are being made');
    },
    // Sandboxes are made, and tokens kept, in it.
    stores: () => access(folder, constants.R_OK | constants.W_OK | constants.X_OK),
    registry: () => access(join(folder, 'coppice.sqlite'), constants.R_OK | constants.W_OK),
    ...(tokenFile === undefined ? {} : { 'token-file': () => readFile(tokenFile) }),
  };
  return {
    noteStarted: () => {
      hasStarted = true;
    },
    look: () =>
      Promise.all(
        Object.entries(looks).map(async ([name, look]) => ({
          name,
          isReady: await look().then(
            () => true,
            () => false,
          ),
        })),
      ),
  };
}
