import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';

/** Refuses what no machine is asked for. @throws invalid-argument, limit-exceeded */
export function assertChangeable({
  path,
  to,
  bytes,
}: {
  readonly path: string;
  readonly to?: string;
  readonly bytes?: Uint8Array;
}): void {
  for (const name of to === undefined ? [path] : [path, to]) assertPath(name);
  if (bytes && bytes.length > limits.uploadBytes) {
    throw new SandboxError(
      'limit-exceeded',
      `Cannot write "${path}": ${bytes.length} bytes, ${limits.uploadBytes} is the most`,
    );
  }
}

function assertPath(path: string): void {
  if (path.startsWith('/') && path !== '/' && !path.includes('\0')) return;
  throw new SandboxError(
    'invalid-argument',
    `Cannot change ${JSON.stringify(path)}: it is not an absolute path to a file`,
  );
}
