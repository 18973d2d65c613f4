import { execFile } from 'node:child_process';
import { lstat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import type { FurnishedRoot, RootFurnisher } from '../../contract.ts';
import { ownPrivileges, type Privileges } from '../../privileges.ts';
import { jailIdRanges } from './id-ranges.ts';

const execute = promisify(execFile);

/** What each may not do. */
const whyNot: Readonly<Record<Privileges, string | undefined>> = {
  root: undefined,
  'id-range': 'in a user namespace nobody can make the devices that they need (mknod(2))',
  'one-id': 'an ordinary user can change neither its root nor its id',
};

/** Makes folders the roots of jails without namespaces by the launcher (guest/launch/furnish-root.h). Holds nothing itself. */
export class OwnIdRoots implements RootFurnisher {
  readonly #launcher: string;

  /** @throws unsupported for who is not the host's root */
  constructor(launcher: string) {
    const why = whyNot[ownPrivileges()];
    if (why !== undefined) {
      const message = `Cannot run jails without namespaces: ${why}`;
      throw new SandboxError('unsupported', message, { details: { feature: 'landlock' } });
    }
    this.#launcher = launcher;
  }

  async furnish(path: string): Promise<FurnishedRoot> {
    const id = jailIdRanges.take();
    try {
      await this.#run(['--furnish', `${id}`, path]);
    } catch (error) {
      jailIdRanges.give(id);
      throw error;
    }
    return {
      id,
      release: async () => {
        await this.#run(['--clear', `${id}`]);
        jailIdRanges.give(id);
      },
    };
  }

  async clear(path: string): Promise<void> {
    const { uid } = await lstat(path);
    if (jailIdRanges.includes(uid)) await this.#run(['--clear', `${uid}`]);
  }

  /** The launcher says itself what it could not do. @throws machine-failed, timeout */
  async #run(args: readonly string[]): Promise<void> {
    try {
      const timeout = limits.jailStartTimeoutMs;
      await execute(this.#launcher, args, { cwd: '/', env: {}, timeout, killSignal: 'SIGKILL' });
    } catch (cause) {
      const { killed, stderr, message } = cause as Error & { killed?: boolean; stderr?: string };
      throw new SandboxError(killed ? 'timeout' : 'machine-failed', stderr?.trim() || message, { cause });
    }
  }
}
