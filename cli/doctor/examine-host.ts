import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { DoctorRow } from '../../bridge-server/host-runtime.ts';
import { buildPrograms, type HostPrograms } from '../../bridge-server/main/build-programs.ts';
import { doctor } from '../../bridge-server/main/doctor.ts';
import { whatIdRangeLacks } from '../../bridge-server/main/id-range.ts';
import { ownPrivileges } from '../../bridge-server/privileges.ts';
import { chooseIsolation } from '../../bridge-server/runtimes/jail/choose-isolation.ts';
import { CacheFolder, cachePath } from '../../host/cache/cache-folder.ts';
import type { Progress } from '../../host/progress.ts';
import { SandboxError } from '../../protocol/errors.ts';

/** Finds out what a Linux host can by trying, on the file system of `root`, which need not be there; leaves nothing behind. */
export async function examineHost(
  root: string,
  { progress }: { readonly progress: Progress },
): Promise<readonly DoctorRow[]> {
  const folder = await makeBeside(root);
  try {
    await mkdir(join(folder, 'roots'));
    const programs = await buildPrograms({ cache: new CacheFolder(cachePath()), progress });
    const compiled: DoctorRow = {
      name: 'C programs',
      state: 'ok',
      why: `they are in ${dirname(programs.launcher)}`,
    };
    return [compiled, ...(await jailRows(folder, programs)), ...(await idRows())];
  } catch (error) {
    return [{ name: 'C programs', state: 'unsupported', why: messageOf(error) }];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function jailRows(
  folder: string,
  { launcher, watcher }: Pick<HostPrograms, 'launcher' | 'watcher'>,
): Promise<readonly DoctorRow[]> {
  try {
    const chosen = await chooseIsolation('auto', { launcher, folder });
    return await doctor({ launcher, watcher, folder, chosen });
  } catch (error) {
    return [{ name: 'jails', state: 'unsupported', why: messageOf(error) }];
  }
}

async function idRows(): Promise<readonly DoctorRow[]> {
  const privileges = ownPrivileges();
  if (privileges === 'root') return [];
  const lacks = privileges === 'id-range' ? undefined : await whatIdRangeLacks();
  const name = 'ids of users';
  if (lacks === undefined) return [{ name, state: 'ok', why: 'this user has a range of ids (newuidmap)' }];
  return [{ name, state: 'unsupported', why: lacks }];
}

/** In the nearest folder above that is there and can be written. */
async function makeBeside(root: string): Promise<string> {
  let at = resolve(root);
  while (!existsSync(at)) at = dirname(at);
  return mkdtemp(join(at, 'doctor-')).catch(() => mkdtemp(join(tmpdir(), 'doctor-')));
}

function messageOf(error: unknown): string {
  return SandboxError.from(error)
    .message.trim()
    .replaceAll(/\s*\n\s*/g, ' ');
}
