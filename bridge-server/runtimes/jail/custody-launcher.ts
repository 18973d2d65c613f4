import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import { connectIn } from './connect-in.ts';
import type { JailLauncher, LauncherEnd } from './jail-launcher.ts';

/** As in guest/launch/custody.h. */
const endJail = 'e';
const sendSignal = 's';

/**
 * The launcher of a jail that has outlived its bridge, found by a socket in the jail's folder. From
 * then on the jail is this process's.
 * @throws machine-failed when nobody is there, timeout
 */
export async function openCustodyLauncher(folder: string): Promise<JailLauncher> {
  const socket = await connectIn(folder, 'custody');
  const { promise: ended, resolve } = Promise.withResolvers<LauncherEnd>();
  const greeted = Promise.withResolvers<number>();
  let code: number | undefined;
  createInterface({ input: socket }).on('line', (line) => {
    const [, what, number] = /^(pid|exit) (\d{1,10})$/.exec(line) ?? [];
    if (what === 'pid') greeted.resolve(Number(number));
    else if (what === 'exit') code = Number(number);
  });
  socket.once('close', () => {
    resolve({ code });
    greeted.reject(new SandboxError('machine-failed', 'The launcher of the jail has ended'));
  });
  const timer = setTimeout(() => socket.destroy(), limits.jailMeetTimeoutMs);
  try {
    const pid = await greeted.promise;
    return {
      pid,
      errors: undefined,
      ended,
      signal: (inside, signal) => void socket.write(signalRequest(inside, signal)),
      end: () => end(socket),
      leave: () => socket.destroy(),
    };
  } finally {
    clearTimeout(timer);
  }
}

/** As in guest/launch/custody-signal.h, of the same machine. */
function signalRequest(pid: number, signal: number): Uint8Array {
  const bytes = Buffer.alloc(9);
  bytes.write(sendSignal);
  bytes.writeInt32LE(pid, 1);
  bytes.writeInt32LE(signal, 5);
  return bytes;
}

/** Who does not end in time is given up: what it holds is found by who removes what is left. */
function end(socket: Socket): void {
  socket.write(endJail);
  const timer = setTimeout(() => socket.destroy(), limits.jailEndTimeoutMs);
  socket.once('close', () => clearTimeout(timer));
}
