import { BridgeLab } from './bridge-lab.ts';
import { Lab, type LabOptions } from './lab.ts';

/** What benchmarks of recordings measure with: the built site in Chromium, and a bridge. */
export class ReplayLab extends Lab {
  readonly host: BridgeLab;

  constructor(options: LabOptions) {
    super(options);
    this.host = new BridgeLab(options);
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.host[Symbol.asyncDispose](), super[Symbol.asyncDispose]()]);
  }
}
