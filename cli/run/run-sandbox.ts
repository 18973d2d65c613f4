import type { Sandbox } from '../../sdk/sandbox.ts';

/** A sandbox to run something in. Disposing of it closes it, and deletes it where it was made for this run alone. */
export interface RunSandbox extends AsyncDisposable {
  readonly sandbox: Sandbox;
  /** Why it is not in a jail, though nobody said so. */
  readonly fellBack?: string | undefined;
  /** Copies a folder of this host in: see `copyIn`. Resolves to what is left out. */
  copyIn(text: string): Promise<readonly string[]>;
  /** The path to begin in that `--workdir` says: see `workingDirectory`. */
  findDirectory(workdir: string): Promise<string>;
}
