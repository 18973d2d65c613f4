import type { SandboxBackend } from '../../../protocol/sandbox/backend.ts';
import { BridgeLab } from './bridge-lab.ts';
import { Lab, type LabOptions } from './lab.ts';

/** What benchmarks of the light end measure with: this process, a bridge with jails, and the tab. */
export class LightLab implements AsyncDisposable {
  /** How often each side of a ratio is measured; what takes milliseconds, a multiple of it. */
  readonly runs: number;
  /** For what is measured in Chromium. */
  readonly tab: Lab;
  readonly #bridge: BridgeLab;

  constructor(options: LabOptions) {
    this.runs = options.runs;
    this.tab = new Lab(options);
    this.#bridge = new BridgeLab(options);
  }

  /** A bridge in a process of its own, by WebSocket; the lab's to dispose. @throws Error that says what this host lacks */
  jails(): Promise<SandboxBackend> {
    return this.#bridge.backend();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.tab[Symbol.asyncDispose](), this.#bridge[Symbol.asyncDispose]()]);
  }
}
