import type { InitClient, InitHello } from '../../protocol/init/init-client.ts';
import { GuestFiles } from './guest-files.ts';
import type { FileChanger, PortConnector, ProcessStarter } from './machine-ports.ts';
import type { WaitingShell } from './sandbox-machine.ts';

/** The ports of a machine that has our init inside. */
export function initPorts(init: InitClient): {
  readonly processes: ProcessStarter;
  readonly files: FileChanger;
  readonly ports: PortConnector;
  readonly git: 'program';
} {
  const processes: ProcessStarter = {
    start: (request, listener, options) => init.exec(request, listener, options),
  };
  return {
    processes,
    files: new GuestFiles(processes),
    ports: { connect: (port) => init.connect(port) },
    git: 'program',
  };
}

/** A login shell that init has and that no client knows yet. */
export interface InitShell extends Pick<WaitingShell, 'shown' | 'command'> {
  readonly attached: InitHello['attached'][number];
}

/** Such a shell, for a client to take. */
export function waitingShell(init: InitClient, { attached, shown, command }: InitShell): WaitingShell {
  return {
    pid: attached.pid,
    shown,
    command,
    adopt: async (listener, { size, ...options }) => {
      const process = init.adopt(attached, listener, options);
      await process.resize(size);
      await process.windowChanged(); // It reads the history of the shells before it.
      return process;
    },
  };
}
