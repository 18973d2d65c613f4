import { createProgress } from '../../../images/progress.ts';
import { buildSite } from '../../../scripts/build-site.ts';
import { type StaticServer, serveFolder } from '../../../scripts/static-server.ts';
import { type BenchPages, serveBenchPages } from './bench-pages.ts';

const image = 'debian';

/** What benchmarks measure with. Things are built when they are first asked for, and gone when disposed. */
export class Lab implements AsyncDisposable {
  /** How often each side of a ratio is measured. */
  readonly runs: number;
  readonly #progress = createProgress();
  readonly #stack = new AsyncDisposableStack();
  #site: Promise<string> | undefined;
  #pages: Promise<BenchPages> | undefined;

  constructor(options: { runs: number }) {
    this.runs = options.runs;
  }

  /** The product's built site on a server of its own: another origin each time, the caller's to dispose. */
  async serveSite(): Promise<StaticServer> {
    return serveFolder(await this.#buildSite(), { port: 0 });
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
    this.#site ??= buildSite({ images: [image] });
    return this.#site;
  }

  async #servePages(): Promise<BenchPages> {
    const site = await this.#buildSite();
    return this.#progress.step('Build the benchmarks', async () =>
      this.#stack.use(await serveBenchPages(site, { image, progress: this.#progress })),
    );
  }
}
