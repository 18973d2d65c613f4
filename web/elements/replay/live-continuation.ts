import { isArchitecture, tabArchitecture } from '../../../protocol/architecture.ts';
import { describeRuntime } from '../../../protocol/runtime-description.ts';
import type { SandboxBackend } from '../../../protocol/sandbox/backend.ts';
import type { SandboxConnection } from '../../../protocol/sandbox/connection.ts';
import type { RecordedImage } from '../../../recording/format/recording-header.ts';
import type { HostPlace } from '../model/host-place.ts';
import type { KnownHost } from '../model/known-host.ts';
import { plainLine } from '../text/describe-snapshot.ts';
import type { Continuation, ContinueChoice, ContinuePoint } from './continuation.ts';
import { type Continued, continueLive, continueWithFiles } from './continue-live.ts';

export interface LiveContinuationParts {
  /** The sandboxes of this tab. */
  readonly backend: () => Promise<SandboxBackend>;
  /** Begins to fetch an image for a machine in this tab. */
  readonly prepareImage: (name: string) => void;
  /** The hosts that the page knows. */
  readonly hosts: () => readonly KnownHost[];
  /** As `Continuation` has it. */
  readonly openHosts?: () => void;
  readonly reachHost: (url: string) => Promise<HostPlace | undefined>;
  /** Shows what was made, which is the page's from then on. */
  readonly show: (made: Continued, host: HostPlace | undefined) => Promise<void>;
}

/** Where a recording's sandbox is taken in whole in this tab. */
const tabRuntimes = ['shell', 'v86'] as const;

/** Continues from recordings in this tab or on a host: a machine where the snapshot is of an image, else a shell. */
export class LiveContinuation extends EventTarget implements Continuation {
  readonly #parts: LiveContinuationParts;

  constructor(parts: LiveContinuationParts) {
    super();
    this.#parts = parts;
  }

  get openHosts(): (() => void) | undefined {
    return this.#parts.openHosts;
  }

  /** The page knows other hosts now, or more of them. */
  noteHosts(): void {
    this.dispatchEvent(new Event('change'));
  }

  choices(point: ContinuePoint): readonly ContinueChoice[] {
    const { image, architecture, runtime } = point.header.coppice;
    const withMemory = point.hasMemory && describeRuntime(runtime)?.checkpoints === true;
    const from = withMemory ? 'with what ran' : 'from its files';
    const isWide = isArchitecture(architecture) && architecture !== tabArchitecture;
    const hosts = this.#parts.hosts().map((host) => hostChoice(host, image));
    if (image === undefined)
      return [{ id: 'shell', label: 'in a shell in this tab, from its files' }, ...hosts];
    const machine = { id: 'v86', label: `in a machine in this tab, ${from}` };
    const files = { id: 'files', label: 'in a shell in this tab, with the files that were changed' };
    // The tab's machine is for other programs.
    return isWide ? [...hosts, files] : [machine, ...hosts, files];
  }

  prepare({ id }: ContinueChoice, { header }: ContinuePoint): void {
    if (id === 'v86' && header.coppice.image !== undefined)
      this.#parts.prepareImage(header.coppice.image.name);
  }

  async go(
    { id }: ContinueChoice,
    {
      recorded,
      ...options
    }: {
      readonly point: ContinuePoint;
      readonly recorded: SandboxConnection;
      readonly signal: AbortSignal;
      readonly onProgress: (text: string) => void;
    },
  ): Promise<void> {
    const runtime = tabRuntimes.find((name) => name === id);
    const host = runtime !== undefined || id === 'files' ? undefined : await this.#parts.reachHost(id);
    const backend = await (host === undefined ? this.#parts.backend() : host.connect());
    const made =
      id === 'files'
        ? await continueWithFiles(recorded, { ...options, backend })
        : await continueLive(recorded, { ...options, backend, runtime });
    await this.#parts.show(made, host);
  }
}

/** A host that is known to lack the image is named with that. One that has another build by that name is asked. */
function hostChoice(
  { name, bridge: { url }, images, problem }: KnownHost,
  image: RecordedImage | undefined,
): ContinueChoice {
  const on = `on ${plainLine(name, 60)}`;
  if (problem !== undefined) return { id: url, label: `${on}: not connected, see Hosts`, isRefused: true };
  const isLacking =
    image !== undefined &&
    image.isHeld !== true &&
    images.length > 0 &&
    images.every((each) => each.digest !== image.digest && each.name !== image.name);
  if (isLacking)
    return { id: url, label: `${on}: it lacks the image “${plainLine(image.name, 60)}”`, isRefused: true };
  return { id: url, label: `${on}, from its files` };
}

/** Has a backend that can do that begin to load an image. */
export async function prepareImage(opening: Promise<SandboxBackend>, name: string): Promise<void> {
  const backend = (await opening) as SandboxBackend & {
    prepare?(image: { readonly name: string }): Promise<void>;
  };
  await backend.prepare?.({ name });
}
