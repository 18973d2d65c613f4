import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { Sandbox } from '../sandbox.ts';

/**
 * The text of a file that a model is to read or edit.
 * @throws not-found; limit-exceeded past `limits.modelFileBytes`; invalid-argument where it is no text
 */
export async function readTextFile(sandbox: Sandbox, path: string): Promise<string> {
  const { sizeBytes, type } = await sandbox.files.stat(path);
  if (type === 'directory') {
    throw new SandboxError('invalid-argument', `Cannot read ${path}: it is a directory; list it instead`);
  }
  if (sizeBytes > limits.modelFileBytes) {
    const message = `Cannot read ${path}: it has ${sizeBytes} bytes; take a part of it with a command`;
    throw new SandboxError('limit-exceeded', message, { details: { path, sizeBytes } });
  }
  const bytes = await sandbox.files.read(path, { format: 'bytes' });
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const message = `Cannot read ${path} as text: its ${bytes.length} bytes are not UTF-8; look at it with a command`;
    throw new SandboxError('invalid-argument', message, { details: { path } });
  }
}
