import { execFile } from 'node:child_process';
import { homedir } from 'node:os';
import { promisify } from 'node:util';
import { limits } from '../../protocol/limits.ts';
import { hasJailIds, ownPrivileges } from '../privileges.ts';

const run = promisify(execFile);

/** Our user as root, and the range that is set aside for it in subuid(5) and subgid(5), by newuidmap(1). */
const inRange = ['unshare', '--user', '--map-root-user', '--map-auto', '--'];

/** Why an ordinary user has no range of ids here, found out by mapping one; `undefined` when there is one. */
export async function whatIdRangeLacks(): Promise<string | undefined> {
  const [command = '', ...args] = [...inRange, 'cat'];
  try {
    for (const name of ['uid_map', 'gid_map']) {
      const options = { timeout: limits.idRangeTimeoutMs, killSignal: 'SIGKILL' as const };
      const { stdout } = await run(command, [...args, `/proc/self/${name}`], options);
      if (!hasJailIds(stdout)) return 'the range of /etc/subuid or /etc/subgid has less than 65535 ids';
    }
    return undefined;
  } catch (error) {
    const { killed, stderr, message } = error as Error & { killed?: boolean; stderr?: string };
    if (killed) return `newuidmap takes longer than ${limits.idRangeTimeoutMs} ms`;
    return stderr?.trim().split('\n')[0] || message;
  }
}

/**
 * Starts this program anew, as the same process, with the range of ids of its user, where it is an
 * ordinary user who has one: then it does not come back. Everything that handles the files of jails is
 * thus root over their owners, and over nothing else. Call it before anything is open.
 */
export async function enterIdRange(): Promise<void> {
  const uid = process.geteuid?.();
  if (uid === 0 || ownPrivileges() !== 'one-id' || process.execve === undefined) return;
  if ((await whatIdRangeLacks()) !== undefined) return;
  const [, script = ''] = process.argv;
  const again = [process.execPath, ...process.execArgv, script, ...process.argv.slice(2)];
  // Of root, the home would be another one.
  process.execve('/usr/bin/env', ['env', ...inRange, ...again], { ...process.env, HOME: homedir() });
}
