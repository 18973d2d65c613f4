import { SandboxError } from '../../protocol/errors.ts';

/** Refuses what changes a sandbox to who only looks on. @throws read-only */
export function assertWritable({ readOnly }: { readonly readOnly: boolean }, what: string): void {
  if (!readOnly) return;
  throw new SandboxError(
    'read-only',
    `Cannot ${what}: this sandbox is open in another tab; fork it to go on`,
  );
}
