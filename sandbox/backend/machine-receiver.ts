import { SandboxError } from '../../protocol/errors.ts';
import type { SandboxConnection } from '../../protocol/sandbox/connection.ts';
import type { ProgressListener } from '../../protocol/sandbox/progress.ts';
import type { RuntimeName } from '../../protocol/sandbox/sandbox-info.ts';
import type { HandedMachine } from '../memory/handed-machine.ts';
import { LazyStore } from '../memory/lazy-store.ts';
import { PrecopiedFiles } from '../memory/precopied-files.ts';
import { imageBase } from './load-base.ts';
import { childInfo } from './new-info.ts';
import { makeStore } from './new-stores.ts';
import type { ImageDriver } from './runtime-driver.ts';
import type { Runtimes } from './runtimes.ts';
import type { SandboxHost } from './sandbox-host.ts';
import type { SandboxStarter } from './sandbox-starter.ts';

/** Goes on with machines that another thread hands over, each as a fork of its sandbox. */
export class MachineReceiver {
  readonly #host: SandboxHost;
  readonly #runtimes: Runtimes;
  readonly #starter: SandboxStarter;
  /** Of a machine that may be handed over. */
  #ahead = new PrecopiedFiles();

  constructor(
    host: SandboxHost,
    { runtimes, starter }: { readonly runtimes: Runtimes; readonly starter: SandboxStarter },
  ) {
    this.#host = host;
    this.#runtimes = runtimes;
    this.#starter = starter;
  }

  /** Keeps what came ahead of a machine. @throws corrupt-object where it does not follow the last one */
  async takeAhead(machine: HandedMachine): Promise<void> {
    const { info, memory } = machine;
    const ready = await this.#driverOf(info.runtime)?.images.putAhead?.(info, memory);
    if (ready) await this.#ahead.put(machine, { image: ready.image.source, known: ready.tree });
  }

  /** @throws unsupported where no machine stands ready for it; version-mismatch, corrupt-object, machine-failed, timeout */
  async takeOver(
    handed: HandedMachine,
    options: { readonly name?: string | undefined },
    onProgress: ProgressListener,
  ): Promise<SandboxConnection> {
    const machine = this.#ahead.complete(handed);
    const driver = this.#driverOf(machine.info.runtime);
    const ready = await driver?.images.takeReady?.(machine.info);
    if (!driver || !ready) {
      const message = 'Cannot take the machine over: none stands ready for it';
      throw new SandboxError('unsupported', message, { details: { feature: 'handing over' } });
    }
    const host = this.#host;
    const base = imageBase(driver, ready.image);
    const info = childInfo(machine.info, options, { base, canExpire: host.canExpire === true });
    const store = await LazyStore.open(machine.objects, (fill) =>
      makeStore(host, info.id, async (made) => {
        await fill(made);
        await host.records.add(info);
        return made;
      }),
    );
    const { tree: known } = ready;
    return this.#starter.start(info, { store, base, known, handed: machine, onProgress, signal: undefined });
  }

  /** Forgets what came ahead: where another sandbox starts, no machine will be handed over. */
  drop(): void {
    this.#ahead = new PrecopiedFiles();
  }

  #driverOf(runtime: RuntimeName): ImageDriver | undefined {
    const driver = this.#runtimes.find(runtime);
    return driver?.images && driver;
  }
}
