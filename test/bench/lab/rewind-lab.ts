import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inRepository } from '../../../host/repository.ts';
import { bundledName, commandModule } from '../../../scripts/pack/entries.ts';
import { stagePackage } from '../../../scripts/pack/stage-package.ts';
import { type HostCli, openHostCli } from '../../host/supervising.ts';
import { BridgeLab, type BridgeLabOptions } from './bridge-lab.ts';

/** What benchmarks of the command line and of agents measure with. Things are made when they are first asked for. */
export class RewindLab implements AsyncDisposable {
  readonly runs: number;
  /** Jails, roots and programs without the command line. */
  readonly host: BridgeLab;
  readonly #stack = new AsyncDisposableStack();
  #cli: Promise<HostCli> | undefined;

  constructor(options: BridgeLabOptions) {
    this.runs = options.runs;
    this.host = new BridgeLab(options);
  }

  /** The packed command line as root on a folder of its own, with a sandbox `default`; the lab's to dispose. */
  cli(): Promise<HostCli> {
    this.#cli ??= this.#openCli();
    return this.#cli;
  }

  /** What users run is bundled. Its dependencies are those of this checkout. */
  async #openCli(): Promise<HostCli> {
    const folder = await mkdtemp(join(tmpdir(), 'coppice-package-'));
    this.#stack.defer(() => rm(folder, { recursive: true }));
    await stagePackage(folder);
    await symlink(inRepository('node_modules'), join(folder, 'node_modules'));
    const module = join(folder, 'lib', `${bundledName(commandModule)}.js`);
    return this.#stack.use(await openHostCli('root', { isKilled: true, module }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#cli?.catch(() => undefined);
    await Promise.all([this.#stack.disposeAsync(), this.host[Symbol.asyncDispose]()]);
  }
}
