import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Why no Debian can be made here with debootstrap; `undefined` where one can. */
export function whatDebootstrapLacks(): string | undefined {
  if (process.geteuid?.() !== 0) return 'only root makes a Debian with debootstrap';
  try {
    execFileSync('sh', ['-c', 'command -v debootstrap && command -v npm'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'no debootstrap, or no npm';
  }
}

/** Makes a Debian with nothing in it: the release of this host, from the archive where this host has its packages from. Resolves to the archive's URL. */
export async function makeFreshRoot(root: string): Promise<string> {
  const format = ['--format', '$(REPO_URI) $(CODENAME)', 'Created-By: Packages'];
  const { stdout } = await execute('apt-get', ['indextargets', ...format]);
  const [archive = '', release = ''] = stdout.split('\n')[0]?.split(' ') ?? [];
  await execute('debootstrap', ['--variant=minbase', release, root, archive], { maxBuffer: 1 << 24 });
  return archive;
}
