import type { Socket } from 'node:net';
import { limits } from '../../../protocol/limits.ts';
import type { Program } from '../../programs/program.ts';
import type { JailLauncher } from './jail-launcher.ts';

/**
 * A launcher that this process has had started, the first of whose sockets is to its errors. With it dies
 * the jail, unless it has no namespaces: then the launcher has to live to end it, and `obeys`.
 */
export function programLauncher(
  program: Program,
  { pid, obeys = false }: { readonly pid: number; readonly obeys?: boolean },
): JailLauncher {
  const [errors] = program.sockets as [Socket];
  const ended = program.ended.then(({ code }) => ({ code }));
  return {
    pid,
    errors,
    ended,
    end: () => {
      program.kill(obeys ? 'SIGTERM' : 'SIGKILL');
      if (!obeys) return;
      const kill = setTimeout(() => program.kill('SIGKILL'), limits.jailEndTimeoutMs);
      void ended.then(() => clearTimeout(kill));
    },
    leave: () => {
      for (const socket of program.sockets) socket.destroy();
    },
  };
}
