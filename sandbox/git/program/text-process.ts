import type { MachineProcessExit } from '../../../protocol/machine-process.ts';
import type { ExecRequest, ProcessHandle } from '../../../protocol/sandbox/processes.ts';
import type { ProcessStarter } from '../../machine/machine-ports.ts';

/** A process whose output is text. Whoever starts it awaits its end. */
export interface TextProcess {
  readonly process: ProcessHandle;
  readonly ended: Promise<MachineProcessExit>;
}

/**
 * Starts a process; `onText` gets what it says on either stream. What cannot be decoded is replaced.
 * @throws not-found (no such program), connection-lost, machine-failed
 */
export async function startTextProcess(
  processes: ProcessStarter,
  request: ExecRequest,
  onText: (text: string, stream: 'stdout' | 'stderr') => void,
): Promise<TextProcess> {
  const ended = Promise.withResolvers<MachineProcessExit>();
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  const process = await processes.start(request, (event) => {
    if (event.type === 'exit') ended.resolve(event);
    else if (event.type !== 'status') {
      onText(decoders[event.type].decode(event.bytes, { stream: true }), event.type);
    }
  });
  return { process, ended: ended.promise };
}
