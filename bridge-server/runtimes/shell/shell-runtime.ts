import { join } from 'node:path';
import { SandboxError } from '../../../protocol/errors.ts';
import type { SandboxRecords } from '../../../sandbox/backend/sandbox-records.ts';
import type { HostRuntime } from '../../host-runtime.ts';
import { hostResources } from '../../sandboxes/host-resources.ts';
import { startShellProcess } from './shell-process.ts';
import { shellResources, shellsAtRest } from './shells-of-host.ts';

/** Shells of a host, each in a process of its own. */
export const shellRuntime: HostRuntime = {
  name: 'shell',
  examine: async (folder) => {
    const lack = await whatShellsLack(folder);
    return [
      lack === undefined
        ? { name: 'shells', state: 'ok', why: 'a process for one was started, and ran a command' }
        : { name: 'shells', state: 'unsupported', why: lack },
    ];
  },
  driver: ({ resources }) => shellsAtRest(shellResources(resources)),
};

/** Starts the process of a shell, which runs a command before it serves. Answers why that did not work here. */
async function whatShellsLack(folder: string): Promise<string | undefined> {
  const resources = shellResources(hostResources());
  const settings = {
    stores: join(folder, 'sandboxes'),
    compiled: join(folder, 'compiled'),
    resources,
    git: undefined,
  };
  try {
    await using _process = await startShellProcess({
      settings,
      records: noRecords,
      memoryMiB: resources.memoryMiB.min,
    });
    return undefined;
  } catch (cause) {
    return SandboxError.from(cause).message;
  }
}

async function refuse(): Promise<never> {
  throw new SandboxError('forbidden', 'This process is only tried out');
}

const noRecords: SandboxRecords = {
  list: refuse,
  get: refuse,
  add: refuse,
  remove: refuse,
  begin: refuse,
  unfinished: refuse,
  forgetUnfinished: refuse,
};
