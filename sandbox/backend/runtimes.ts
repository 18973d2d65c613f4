import { SandboxError } from '../../protocol/errors.ts';
import { describeRuntime } from '../../protocol/runtime-description.ts';
import type { HostImage } from '../../protocol/sandbox/backend.ts';
import { hasImage, type RuntimeName, type SandboxInfo } from '../../protocol/sandbox/sandbox-info.ts';
import { type ImageObjects, noImageObjects } from '../image-objects.ts';
import type { RuntimeDriver } from './runtime-driver.ts';

type Drivers = readonly [RuntimeDriver, ...RuntimeDriver[]];

/** What runs the sandboxes of a backend, by runtime. */
export class Runtimes {
  readonly #drivers: Drivers;
  /** The images of all of them; absent where nobody keeps a list. */
  readonly listImages?: () => Promise<readonly HostImage[]>;

  constructor(drivers: Drivers) {
    this.#drivers = drivers;
    if (drivers.some(({ images }) => images?.list)) this.listImages = () => this.#list();
  }

  /** The driver of a runtime, the first by default. `what` could not be done begins the message. @throws unsupported */
  get(runtime: RuntimeName | undefined, what: string): RuntimeDriver {
    const [first] = this.#drivers;
    const found = runtime === undefined ? first : this.find(runtime);
    if (found) return found;
    throw this.#unsupported(`${what} with runtime "${runtime}"`);
  }

  find(runtime: RuntimeName): RuntimeDriver | undefined {
    return this.#drivers.find((driver) => driver.runtime === runtime);
  }

  /** The driver of a snapshot that comes from elsewhere: by default the first that begins as it does. @throws unsupported */
  forSnapshot({
    runtime,
    isOfImage,
  }: {
    readonly runtime: RuntimeName | undefined;
    readonly isOfImage: boolean;
  }): RuntimeDriver {
    const what = 'Cannot take in a snapshot';
    const wanted = runtime === undefined ? this.#drivers : [this.get(runtime, what)];
    const found = wanted.find(({ images }) => (images !== undefined) === isOfImage);
    if (found) return found;
    throw this.#unsupported(`${what} ${isOfImage ? 'of an image' : 'without an image'}`, wanted);
  }

  /** What the store of a sandbox need not hold, also where its runtime is gone. @throws asset-unavailable, corrupt-object, version-mismatch, unsupported */
  async openImageToExport({
    imageDigest,
    runtime,
  }: Pick<SandboxInfo, 'imageDigest' | 'runtime'>): Promise<ImageObjects> {
    if (!hasImage({ imageDigest })) return noImageObjects;
    const own = this.find(runtime)?.images;
    const images = own ?? this.#drivers.find((driver) => driver.images !== undefined)?.images;
    if (images) return images.openToExport(imageDigest);
    throw this.#unsupported('Cannot read the image');
  }

  /** Each image once: several runtimes may have the same. */
  async #list(): Promise<readonly HostImage[]> {
    const lists = await Promise.all(this.#drivers.map(({ images }) => images?.list?.() ?? []));
    const all = lists.flat();
    const isSame = (one: HostImage, other: HostImage) =>
      one.name === other.name && one.digest === other.digest;
    return all.filter((image, at) => all.findIndex((other) => isSame(image, other)) === at);
  }

  #unsupported(what: string, drivers: readonly RuntimeDriver[] = this.#drivers): SandboxError {
    const runtimes = drivers.map(({ runtime }) => runtime);
    const names = runtimes.map((name) => `"${name}"`).join(', ');
    return new SandboxError('unsupported', `${what}: this backend has ${names}`, {
      details: { feature: 'runtime', runtimes },
    });
  }
}

/** @throws unsupported where a sandbox of this runtime cannot have others inside */
export function assertNests({ runtime }: Pick<RuntimeDriver, 'runtime'>): void {
  if (describeRuntime(runtime)?.nested) return;
  throw new SandboxError(
    'unsupported',
    `Cannot create a sandbox with \`nested\`: "${runtime}" has no jails`,
    { details: { feature: 'nested' } },
  );
}
