import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { SandboxError } from '../../protocol/errors.ts';

/** Programs that a build runs, with the Debian package that has each. */
const packageOf = {
  bc: 'bc',
  bison: 'bison',
  flex: 'flex',
  gcc: 'gcc',
  make: 'make',
  patch: 'patch',
  tar: 'tar',
  xz: 'xz-utils',
} as const;
export type Tool = keyof typeof packageOf;

/** Makes sure that `tools` are installed. @throws unsupported with the command that installs what is missing */
export async function requireTools(purpose: string, tools: readonly Tool[]): Promise<void> {
  const found = await Promise.all(tools.map(isInstalled));
  const missing = tools.filter((_, index) => !found[index]);
  if (missing.length === 0) return;
  const packages = missing.map((tool) => packageOf[tool]);
  throw new SandboxError(
    'unsupported',
    `Cannot ${purpose}: this machine has no ${missing.join(', ')}. Install with: apt-get install ${packages.join(' ')}`,
    { details: { feature: missing.join(' '), packages } },
  );
}

async function isInstalled(tool: Tool): Promise<boolean> {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    if (
      await access(join(folder, tool), constants.X_OK).then(
        () => true,
        () => false,
      )
    )
      return true;
  }
  return false;
}
