import { limits } from '../../protocol/limits.ts';
import type { CaptureWatch } from '../../protocol/sandbox-report.ts';
import type { FolderWatch, FolderWatcher, WatchOptions } from '../contract.ts';
import { HostTool } from '../programs/host-tool.ts';
import {
  addRequest,
  drainRequest,
  removeRequest,
  type WatchFrame,
  WatchFrames,
  type WatchSource,
} from './watch-frames.ts';
import { WatchedFolder } from './watched-folder.ts';

export interface FolderWatcherOptions {
  /** guest/watch (`buildHostProgram`). */
  readonly program: string;
  /** On the file system of all folders that are watched. */
  readonly folder: string;
  /** Directories that are watched one by one, at most. */
  readonly watches?: number | undefined;
}

/** A watcher as it runs. */
interface Run {
  readonly tool: HostTool;
  source: WatchSource | undefined;
  /** Directories that it watches one by one, at most: fewer than asked for where the kernel has not so many. */
  watchesMax: number;
  why: string;
}

/**
 * Watches folders by one program, which is started with the first and again when it dies: meanwhile nothing is watched,
 * which each folder's `state` says. Owns the process.
 */
export function openFolderWatcher(options: FolderWatcherOptions): FolderWatcher {
  return new WatcherProcess(options);
}

class WatcherProcess implements FolderWatcher {
  readonly #options: FolderWatcherOptions & { readonly watches: number };
  readonly #folders = new Map<number, WatchedFolder>();
  #last = 0;
  #run: Run | undefined;
  #restart: ReturnType<typeof setTimeout> | undefined;
  /** Why nothing can be watched here. Set for good. */
  #unavailable: string | undefined;
  #isDisposed = false;

  constructor({ program, folder, watches = limits.hostWatches }: FolderWatcherOptions) {
    this.#options = { program, folder, watches };
  }

  watch(path: string, { ignored = [], ...listener }: WatchOptions): FolderWatch {
    const number = ++this.#last;
    const folder: WatchedFolder = new WatchedFolder(path, {
      ignored,
      listener,
      drain: () => this.#write(drainRequest(number)),
      remove: () => {
        this.#folders.delete(number);
        this.#write(removeRequest(number));
      },
    });
    this.#folders.set(number, folder);
    if (this.#unavailable !== undefined) folder.noteState({ by: 'polling', why: this.#unavailable });
    else if (this.#run) this.#write(addRequest(number, path, ignored));
    else if (this.#restart === undefined) this.#start();
    return folder;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    clearTimeout(this.#restart);
    await this.#run?.tool[Symbol.asyncDispose]();
  }

  #write(request: Uint8Array): void {
    // Of one that has ended its end tells.
    void this.#run?.tool.write(request);
  }

  #start(): void {
    this.#restart = undefined;
    if (this.#isDisposed) return;
    const { program, folder, watches } = this.#options;
    const tool = new HostTool(program, [folder, String(watches)]);
    const run: Run = { tool, source: undefined, watchesMax: watches, why: '' };
    this.#run = run;
    for (const [number, { path, ignored }] of this.#folders) this.#write(addRequest(number, path, ignored));
    void this.#read(run).then((why) => this.#onEnd(run, why));
  }

  /** Resolves with why it tells no more. */
  async #read(run: Run): Promise<string> {
    const frames = new WatchFrames();
    try {
      for await (const bytes of run.tool.stdout) {
        for (const frame of frames.push(bytes)) this.#take(run, frame);
      }
      await run.tool.finish();
      return run.source === 'none' ? run.why : 'the program that watches has ended';
    } catch (error) {
      return `the program that watches has ended: ${(error as Error).message}`;
    }
  }

  #take(run: Run, frame: WatchFrame): void {
    if (frame.type === 'open') {
      run.source = frame.source;
      run.watchesMax = frame.watchesMax;
      run.why = frame.why;
      return;
    }
    const folder = this.#folders.get(frame.root);
    if (frame.type === 'watched') folder?.noteState(stateOf(run, frame.watches));
    else if (frame.type === 'failed') folder?.noteState({ by: 'polling', why: frame.why });
    else if (frame.type === 'changed') folder?.noteChange(frame);
    else folder?.noteDrained();
  }

  /** A host that can watch nothing is not asked again. */
  async #onEnd(run: Run, why: string): Promise<void> {
    await run.tool[Symbol.asyncDispose]();
    if (this.#isDisposed) return;
    this.#run = undefined;
    if (run.source === 'none') this.#unavailable = why;
    for (const folder of this.#folders.values()) folder.noteState({ by: 'polling', why });
    if (run.source !== 'none')
      this.#restart = setTimeout(() => this.#start(), limits.hostWatchRestartMs).unref();
  }
}

function stateOf({ source, why, watchesMax }: Run, watches: number): CaptureWatch {
  if (source !== 'inotify') return { by: 'fanotify' };
  return { by: 'inotify', why, watches, limit: watchesMax };
}
