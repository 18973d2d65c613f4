import { SandboxError } from '../../../protocol/errors.ts';
import type { SandboxBackend } from '../../../protocol/sandbox/backend.ts';
import { CrashGuard } from '../../transports/crash-guard.ts';
import type { EmbedStart } from '../../transports/embed-worker.ts';
import { remoteBackend } from '../../transports/remote-backend.ts';
import { findShells } from './shared-shells.ts';

/** Shells of this frame: in the worker that a frame beside it has for all, where there is one. */
export function openShells(): SandboxBackend {
  const shared = findShells(parent);
  if (shared) return connect(shared);
  return connectWorker(
    new Worker(new URL('../../worker/embed/shells.ts', import.meta.url), { type: 'module', name: 'shells' }),
  );
}

/** Machines of this frame, in a worker of its own. */
export function openMachines(): SandboxBackend {
  return connectWorker(
    new Worker(new URL('../../worker/embed/machines.ts', import.meta.url), {
      type: 'module',
      name: 'machines',
    }),
  );
}

function connectWorker(worker: Worker): SandboxBackend {
  return connect(
    (start) => worker.postMessage(start, [start.backend, start.life]),
    (onFailure) => {
      worker.onerror = (event) => onFailure(event.message || 'its script could not be loaded');
    },
  );
}

function connect(
  send: (start: EmbedStart) => void,
  listen: (onFailure: (why: string) => void) => void = () => {},
): SandboxBackend {
  const guard = new CrashGuard();
  const fail = (why: string): void =>
    guard.crash(
      new SandboxError('connection-lost', `The worker of this embed stopped: ${why}. Load the page again`),
    );
  const [backend, life] = [new MessageChannel(), new MessageChannel()];
  listen(fail);
  send({ backend: backend.port2, life: life.port2 });
  life.port1.addEventListener('close', () => fail('the frame that had it is gone'));
  life.port1.start();
  addEventListener('pagehide', ({ persisted }) => {
    if (!persisted) life.port1.postMessage('gone');
  });
  return remoteBackend(backend.port1, guard);
}
