import { homedir } from 'node:os';
import { join } from 'node:path';

/** The folder of a host that is told of none: `COPPICE_ROOT`, else one in the user's home. */
export function hostFolder(environment: Readonly<Record<string, string | undefined>>): string {
  return environment.COPPICE_ROOT ?? join(homedir(), '.local/share/coppice');
}
