import { SandboxError } from '../protocol/errors.ts';
import type { ProgressListener } from '../protocol/sandbox/progress.ts';
import type { Sandbox } from '../sdk/sandbox.ts';
import type { CliContext } from './context.ts';
import { cliProgress } from './output/cli-progress.ts';
import { Printer } from './output/printer.ts';
import { showUnpacking } from './output/show-unpacking.ts';
import { findSandbox } from './place/find-sandbox.ts';
import {
  openPlace,
  openPlaceToLook,
  openPlaceToRead,
  type Place,
  type PlaceOptions,
  prepareToOpen,
} from './place/open-place.ts';
import { tellLosses } from './place/tell-losses.ts';

/** What every command is told, beside its own options. */
export interface SharedOptions extends PlaceOptions {
  readonly sandbox: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** A sandbox that a command has open, in its place. Disposing of it closes both. */
export interface OpenedSandbox extends AsyncDisposable {
  readonly place: Place;
  readonly sandbox: Sandbox;
}

/** What commands share: where sandboxes are, and how results are printed. */
export class Cli {
  readonly context: CliContext;

  constructor(context: CliContext) {
    this.context = context;
  }

  printer(options: Pick<SharedOptions, 'json' | 'quiet'>): Printer {
    return new Printer(this.context, options);
  }

  /** Where sandboxes are: a folder of this host, whoever serves it now, or a bridge. See `tellLosses`. @throws as `openPlace` */
  async openPlace(options: PlaceOptions): Promise<Place> {
    const place = await openPlace(options, this.context);
    // Elsewhere a sandbox is closed by whoever serves it, who logs what is lost.
    return place.type === 'folder' ? tellLosses(place) : place;
  }

  /** Before standard input is read, by a command that opens a place only then. @throws as `openPlace` */
  prepareToOpen(options: PlaceOptions): Promise<void> {
    return prepareToOpen(options, this.context);
  }

  /**
   * The sandbox that a command is about. Once it is disposed of, its history has what the command has changed, also where
   * somebody else serves it: the next command may read what is stored. @throws not-found with how to make one; as
   * `openPlace` and `Sandbox.open`
   */
  async openSandbox(options: SharedOptions): Promise<OpenedSandbox> {
    const place = await this.openPlace(options);
    const opened = await showUnpacking(cliProgress(this.context.stderr, options), (onProgress) =>
      openIn(place, options.sandbox, { readOnly: false, onProgress }),
    );
    return opened.place.type === 'folder' ? opened : settledAtEnd(opened);
  }

  /**
   * The sandbox that a command only reads: its snapshots, tags and their files, as they are stored. Takes no lock and
   * starts nothing, so it works in milliseconds, and while another process has the sandbox open. `now` is HEAD there.
   * @throws as `openSandbox`
   */
  async openToRead(options: SharedOptions): Promise<OpenedSandbox> {
    return openIn(await openPlaceToRead(options, this.context), options.sandbox, { readOnly: true });
  }

  /**
   * The sandbox as it is now, without starting it: through whoever serves the folder, or as `openToRead`.
   * @throws as `openSandbox`
   */
  async openToLook(options: SharedOptions): Promise<OpenedSandbox> {
    const place = await openPlaceToLook(options, this.context);
    return openIn(place, options.sandbox, { readOnly: true });
  }
}

/** One that stays open elsewhere; what was opened in a folder is captured as it is closed. */
function settledAtEnd(opened: OpenedSandbox): OpenedSandbox {
  return {
    ...opened,
    [Symbol.asyncDispose]: async () => {
      await opened.sandbox.history.settle().catch(() => undefined); // A command whose server has gone tells of that itself.
      await opened[Symbol.asyncDispose]();
    },
  };
}

/** Opens a sandbox of a place, which is closed with it, and where that fails. */
async function openIn(
  opened: Place,
  name: string,
  use: { readonly readOnly: boolean; readonly onProgress?: ProgressListener },
): Promise<OpenedSandbox> {
  await using stack = new AsyncDisposableStack();
  const place = stack.use(opened);
  const { backend } = place;
  const id = place.only ?? (await findSandbox(backend, name)).id;
  const sandbox = stack.use(await openOrJoin(id, { place, ...use }));
  const owned = stack.move();
  return { place, sandbox, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** One that is only looked at is shared with whoever has it open; where nobody has, it is opened without a machine. */
async function openOrJoin(
  id: string,
  {
    place,
    readOnly,
    onProgress = () => {},
  }: { readonly place: Place; readonly readOnly: boolean; readonly onProgress?: ProgressListener },
): Promise<Sandbox> {
  const { backend, type } = place;
  const { Sandbox } = await import('../sdk/sandbox.ts');
  if (!readOnly) return Sandbox.open(id, { backend, onProgress });
  if (type === 'folder' || type === 'history') return Sandbox.open(id, { backend, readOnly });
  try {
    return await Sandbox.connect(id, { backend });
  } catch (error) {
    // Nobody has it open, or this token may not use it together with them.
    if (!['not-found', 'unsupported', 'forbidden'].includes(SandboxError.from(error).code)) throw error;
    return Sandbox.open(id, { backend, readOnly });
  }
}
