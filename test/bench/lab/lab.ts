import { resolve } from 'node:path';
import { createProgress } from '../../../host/progress.ts';
import { buildSite } from '../../../scripts/build-site.ts';
import { type StaticServer, serveFolder } from '../../../scripts/static-server.ts';
import { type BenchPages, serveBenchPages } from './bench-pages.ts';
import { type Chromium, openChromium } from './chromium.ts';

const image = 'debian';

export interface LabOptions {
  /** How often each side of a ratio is measured. */
  readonly runs: number;
  /** A built site to measure; without one, the present sources are built. */
  readonly site: string | undefined;
}

/** What benchmarks measure with. Things are built when they are first asked for, and gone when disposed. */
export class Lab implements AsyncDisposable {
  readonly #options: LabOptions;
  readonly #progress = createProgress();
  readonly #stack = new AsyncDisposableStack();
  #site: Promise<string> | undefined;
  #stockSite: Promise<string> | undefined;
  #pages: Promise<BenchPages> | undefined;

  constructor(options: LabOptions) {
    this.#options = options;
  }

  get runs(): number {
    return this.#options.runs;
  }

  /** A browser with an empty profile; the caller's to dispose. */
  openChromium(): Promise<Chromium> {
    return openChromium();
  }

  /**
   * The product's built site, or that with v86's own settings, on a server of its own: another origin each time, the
   * caller's to dispose.
   */
  async serveSite(variant?: 'stock-v86'): Promise<StaticServer> {
    return serveFolder(await (variant ? this.#buildStockSite() : this.#buildSite()), { port: 0 });
  }

  /** The product's built site, whose files stay as they are. */
  siteFolder(): Promise<string> {
    return this.#buildSite();
  }

  /** The benchmarks' own pages; the lab's to dispose. */
  async pages(): Promise<BenchPages> {
    this.#pages ??= this.#servePages();
    return this.#pages;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync();
  }

  #buildSite(): Promise<string> {
    const { site } = this.#options;
    this.#site ??= site === undefined ? buildSite({ images: [image] }) : Promise.resolve(resolve(site));
    return this.#site;
  }

  #buildStockSite(): Promise<string> {
    this.#stockSite ??= buildSite({ images: [image], variant: 'stock-v86' });
    return this.#stockSite;
  }

  async #servePages(): Promise<BenchPages> {
    const site = await this.#buildSite();
    return this.#progress.step('Build the benchmarks', async () =>
      this.#stack.use(await serveBenchPages(site, { image, progress: this.#progress })),
    );
  }
}
