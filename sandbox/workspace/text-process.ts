import type { SandboxConnection } from '../../protocol/sandbox/connection.ts';
import type { ExecRequest, ExitStatus, ProcessHandle } from '../../protocol/sandbox/processes.ts';

/** A process whose output is text. Whoever starts it awaits its end. */
export interface TextProcess {
  readonly process: ProcessHandle;
  readonly ended: Promise<ExitStatus>;
}

/**
 * Starts a process; `onText` gets what it says on either stream. What cannot be decoded is replaced.
 * @throws not-found (no such program), connection-lost, machine-failed
 */
export async function startTextProcess(
  connection: SandboxConnection,
  request: ExecRequest,
  onText: (text: string, stream: 'stdout' | 'stderr') => void,
): Promise<TextProcess> {
  const ended = Promise.withResolvers<ExitStatus>();
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  const process = await connection.processes.exec(request, (event) => {
    if (event.type === 'exit') ended.resolve(event);
    else onText(decoders[event.type].decode(event.bytes, { stream: true }), event.type);
  });
  return { process, ended: ended.promise };
}
