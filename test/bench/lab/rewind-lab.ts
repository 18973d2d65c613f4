import { type HostCli, openHostCli } from '../../host/supervising.ts';
import { BridgeLab, type BridgeLabOptions } from './bridge-lab.ts';

/** What benchmarks of the command line and of agents measure with. Things are made when they are first asked for. */
export class RewindLab implements AsyncDisposable {
  readonly runs: number;
  /** Jails, roots and programs without the command line. */
  readonly host: BridgeLab;
  #cli: Promise<HostCli> | undefined;

  constructor(options: BridgeLabOptions) {
    this.runs = options.runs;
    this.host = new BridgeLab(options);
  }

  /** The command line as root on a folder of its own, with a sandbox `default`; the lab's to dispose. */
  cli(): Promise<HostCli> {
    this.#cli ??= openHostCli('root', { isKilled: true });
    return this.#cli;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const cli = await this.#cli?.catch(() => undefined);
    await Promise.all([cli?.[Symbol.asyncDispose](), this.host[Symbol.asyncDispose]()]);
  }
}
