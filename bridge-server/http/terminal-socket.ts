import type { WebSocket } from 'ws';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import { loginShell, type ProcessHandle } from '../../protocol/sandbox/processes.ts';
import type { Lease } from '../open-sandboxes.ts';
import type { Metrics } from './metrics.ts';
import { failSocket, handMessagesOn, sendBytes, tellClient } from './socket-messages.ts';
import { type TerminalSize, terminalMessage } from './terminal-query.ts';

export interface TerminalOptions {
  /** Let go of when the terminal has ended. */
  readonly lease: Lease;
  readonly size: TerminalSize;
  readonly metrics: Metrics;
}

/**
 * Runs a shell on a socket: binary messages are bytes of the terminal, text messages are JSON
 * (`resize` from the client; `ready`, `exit` and `error` to it). Both ways wait for who is slow.
 * When the socket closes the shell is hung up, and killed if it stays (H-8).
 */
export async function serveTerminal(
  socket: WebSocket,
  { lease, size, metrics }: TerminalOptions,
): Promise<void> {
  using _lease = lease;
  using _counted = { [Symbol.dispose]: metrics.socketOpened('terminal') };
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const ready = Promise.withResolvers<void>();
  const ending = Promise.withResolvers<void>();
  let hasEnded = false;
  // What comes before the shell is there waits in the socket.
  socket.pause();
  try {
    const request = { command: loginShell, pty: size, stdin: true };
    const shell = await lease.connection.processes.exec(request, async (event) => {
      // A quick shell says something before we hear that it is there.
      await ready.promise;
      if (event.type !== 'exit') {
        metrics.moved('out', { type: 'terminal', bytes: event.bytes.length });
        return sendBytes(socket, event.bytes);
      }
      const { exitCode, signal, reason } = event;
      tellClient(socket, { type: 'exit', exitCode, signal, reason });
      hasEnded = true;
      ending.resolve();
      socket.close(1000);
    });
    tellClient(socket, { type: 'ready', pid: shell.pid });
    ready.resolve();
    listen(socket, { shell, metrics });
    await Promise.race([closed, ending.promise]);
    if (!hasEnded) await hangUp(shell, ending.promise);
  } catch (cause) {
    failSocket(socket, cause);
  }
  await closed;
}

/** Hands input on to the shell. */
function listen(socket: WebSocket, { shell, metrics }: { shell: ProcessHandle; metrics: Metrics }): void {
  handMessagesOn(socket, async ({ bytes, isBinary }) => {
    if (!isBinary) return shell.resize(parseResize(bytes));
    metrics.moved('in', { type: 'terminal', bytes: bytes.length });
    return shell.write(bytes);
  });
}

/** Asks the shell to end, and kills it when it does not in time. */
async function hangUp(shell: ProcessHandle, ended: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<'late'>();
  const timer = setTimeout(() => late.resolve('late'), limits.hangupGraceMs);
  try {
    await shell.kill('SIGHUP');
    if ((await Promise.race([ended, late.promise])) === 'late') await shell.kill('SIGKILL');
  } catch {
    // It has ended meanwhile, or the sandbox has and the shell with it.
  } finally {
    clearTimeout(timer);
  }
}

function parseResize(bytes: Uint8Array): TerminalSize {
  try {
    return terminalMessage.parse(JSON.parse(Buffer.from(bytes).toString()));
  } catch (cause) {
    throw new SandboxError('protocol-violation', 'Cannot read the message: it is no resize', { cause });
  }
}
