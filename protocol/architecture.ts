import { SandboxError } from './errors.ts';

/** The processors that images are for, by Debian's names. */
export const architectures = ['i386', 'amd64'] as const;
export type Architecture = (typeof architectures)[number];

/** The architecture of the tab's emulator: the only one for which images contain a kernel and a golden state. */
export const tabArchitecture: Architecture = 'i386';

/** Whether `value` is one of them. */
export function isArchitecture(value: unknown): value is Architecture {
  return architectures.some((architecture) => architecture === value);
}

/** Rejects an architecture that a tab's machine does not run. @throws unsupported, with what to do instead */
export function assertRunsInTab(architecture: Architecture): void {
  if (architecture === tabArchitecture) return;
  const remedy = 'run it on a bridge, where its files can also be read, compared and exported';
  throw new SandboxError(
    'unsupported',
    `Cannot run an image for ${architecture} in a tab, whose machine is ${tabArchitecture}: ${remedy}`,
    { details: { feature: architecture } },
  );
}
