import { orAborted, throwIfAborted } from '../../protocol/abort.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { Sandbox } from '../sandbox.ts';
import type { Shell, ShellRunOptions } from '../shells.ts';
import { chooseRuntime, type RuntimeNeeds } from './choose-runtime.ts';
import { inspectCommand } from './inspect-command.ts';
import { openFirst } from './open-first.ts';
import type { NamedPlace, PlaceChoice } from './place.ts';
import { namePlaces, offerOf, placeNamed, withNeeds } from './place-offer.ts';
import type { RoutedShellOptions, RoutedShellResult, RoutedShellRunOptions } from './routed-shell-options.ts';
import { type RoutedTask, runUpwards } from './run-upwards.ts';
import { ShellPosition } from './shell-position.ts';
import { keepsImage } from './trouble.ts';

const what = 'Cannot run the command';

/** A command that names a program by its path. */
const namesPath = /(?:^|[\s;&|(])[\w.~-]*\/[\w.]/;

/**
 * A shell that moves between places, such as from one in the process to a machine in the tab to a host: with its files,
 * directory, variables, functions, aliases, options and history. It begins in the lightest place, and moves up when a
 * command cannot run where it is. Whoever opens one closes it, which keeps the sandbox that it is in.
 */
export class RoutedShell implements AsyncDisposable {
  readonly #places: readonly NamedPlace[];
  readonly #position: ShellPosition;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  readonly #closing = new AbortController();
  #closed: Promise<void> | undefined;

  private constructor(places: readonly NamedPlace[], position: ShellPosition) {
    this.#places = places;
    this.#position = position;
  }

  /** @throws invalid-argument, not-found (no such place), unsupported where no place has what is needed; as `Sandbox.create` */
  static async open(options: RoutedShellOptions): Promise<RoutedShell> {
    const places = namePlaces(options.places);
    const position = new ShellPosition(places, { options, ...(await openFirst(places, options)) });
    try {
      position.tell(position.choice);
      position.standBy();
    } catch (error) {
      await position.giveUp();
      throw error;
    }
    return new RoutedShell(places, position);
  }

  /** The sandbox that it is in: another one after each move. */
  get sandbox(): Sandbox {
    return this.#position.at.sandbox;
  }

  /** The shell in that sandbox. */
  get shell(): Shell {
    return this.#position.at.shell;
  }

  get choice(): PlaceChoice {
    return this.#position.choice;
  }

  /**
   * Runs a command in the shell, after those before it. Where it lacks a program, memory or room, or meets a limit, it is
   * undone, in files and shell, and runs again from its beginning in the next place that may do; the result is that of
   * the last one. Where no place has its program, the command stays where it ran first, with the result that it had
   * there. What a command did outside its sandbox is not undone. Output comes from each try as it prints it, with
   * `onChoice` between.
   * @throws as `Shell.run` and `createSnapshot`, what `onChoice` throws, and what moving fails with where `needs` or `place` ask
   * for it
   */
  run(command: string, options: RoutedShellRunOptions = {}): Promise<RoutedShellResult> {
    return this.#inTurn(options.signal, async (signal) => {
      const { place, needs = {}, movesOnTimeout, ...own } = options;
      const rest = { ...own, signal };
      if (place !== undefined) {
        const choice = await this.#position.goTo(placeNamed(this.#places, place), {
          why: 'as asked',
          signal,
        });
        return { ...(await this.shell.run(command, rest)), choice };
      }
      const task = { command, options: rest, movesOnTimeout };
      const unmet = await this.#meet({ ...(await this.#findNeeds(task)), ...needs }, rest);
      const before = this.choice;
      const result = await runUpwards(this.#position, task);
      if (unmet === undefined || this.choice !== before) return result;
      // What it met there comes after what the place was known to lack.
      const why = result.choice === before ? unmet : `${unmet}; ${result.choice.why}`;
      return { ...result, choice: { ...result.choice, why } };
    });
  }

  /** Goes on at another place, up or down, with a snapshot of now. @throws not-found, and what moving fails with: it stays then */
  moveTo(name: string, options: { readonly signal?: AbortSignal } = {}): Promise<PlaceChoice> {
    return this.#inTurn(options.signal, (signal) =>
      this.#position.goTo(placeNamed(this.#places, name), { why: 'as asked', signal }),
    );
  }

  /** Ends what runs, closes the sandbox that it is in, and with `deletesLeft` deletes those that it has made and left. */
  close(): Promise<void> {
    this.#closing.abort();
    this.#closed ??= this.#last.then(() => this.#position.close());
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Does the work after what was asked for before. Its signal aborts when that of its caller does, and when this is closed. */
  async #inTurn<T>(asked: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#closed) throw new SandboxError('aborted', `${what}: the shell was closed`);
    if (this.#waiting >= limits.shellWaitingRuns) {
      throw new SandboxError('busy', `${what}: ${this.#waiting} others wait for the shell`);
    }
    const signal = AbortSignal.any([this.#closing.signal, ...(asked ? [asked] : [])]);
    this.#waiting++;
    const before = this.#last;
    const working = before.then(() => {
      throwIfAborted(signal, what);
      return work(signal);
    });
    this.#last = working.catch(() => undefined).finally(() => this.#waiting--);
    await orAborted(before, { signal, what });
    return working;
  }

  /** What can be seen of programs that a command names by path; a plain name may be a function of the shell. */
  async #findNeeds({ command, options: { signal } }: RoutedTask): Promise<RuntimeNeeds> {
    const { later, at } = this.#position;
    if (later.length === 0 || offerOf(at.place).is64Bit || !namesPath.test(command)) return {};
    const { cwd, user } = await at.shell.info();
    const look = inspectCommand(at.sandbox.connection, { command, cwd, user, signal });
    const seen = await look.catch(() => undefined);
    throwIfAborted(signal, what);
    // A sandbox that does not answer may run the command all the same.
    return seen?.is64Bit ? { is64Bit: true, uses64BitLibraries: seen.uses64BitLibraries } : {};
  }

  /** Goes to the first place, from here on, that has what is needed; answers why not where none has it. */
  async #meet(needs: RuntimeNeeds, { signal, timeoutMs }: ShellRunOptions): Promise<string | undefined> {
    const { at, later } = this.#position;
    const { memoryMiB, diskMiB, network, architecture } = at.sandbox.info;
    const missing = await this.#findMissing(needs.program, signal);
    const here = {
      ...offerOf(at.place, timeoutMs),
      ...{ memoryMiB, diskMiB, network: network === 'full', has64BitLibraries: architecture === 'amd64' },
      hasProgram: (name: string) => name !== missing,
    };
    const first = chooseRuntime(needs, [here]);
    if (first.offer) return undefined;
    const reasons = [...first.reasons];
    for (const place of later) {
      const { offer, reasons: lacks } = chooseRuntime(needs, [offerOf(place, timeoutMs)]);
      reasons.push(...lacks);
      if (!offer) continue;
      if (missing === undefined || !keepsImage(at.sandbox.info, place)) {
        const why = reasons.join('; ');
        const to = withNeeds(place, needs);
        const { place: reached } = await this.#position.goTo(to, { why, signal, program: needs.program });
        if (reached.name === place.name) return undefined;
      }
      reasons.push(`${place.name} has no ${needs.program}`);
    }
    return `${reasons.join('; ')}: it has to do with what there is here`;
  }

  async #findMissing(
    program: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<string | undefined> {
    if (program === undefined) return undefined;
    const { connection } = this.sandbox;
    return (await inspectCommand(connection, { command: [program], signal })).missing;
  }
}
