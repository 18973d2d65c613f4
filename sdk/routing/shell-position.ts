import { limits } from '../../protocol/limits.ts';
import type { SandboxSettings } from '../../protocol/sandbox/backend.ts';
import type { Sandbox } from '../sandbox.ts';
import {
  type CarriedShell,
  type CarryOptions,
  carryShell,
  discard,
  keepIfHas,
  markShell,
  type PlacedShell,
  type ShellMark,
} from './carry-shell.ts';
import type { NamedPlace, PlaceChoice } from './place.ts';
import type { RoutedShellOptions } from './routed-shell-options.ts';

/** Where a routed shell is, and the sandboxes that it has left and is to delete. */
export class ShellPosition {
  readonly #places: readonly NamedPlace[];
  readonly #options: RoutedShellOptions;
  readonly #left: Pick<PlacedShell, 'place' | 'sandbox'>[] = [];
  #at: PlacedShell;
  #choice: PlaceChoice;

  constructor(
    places: readonly NamedPlace[],
    {
      options,
      at,
      why,
    }: { readonly options: RoutedShellOptions; readonly at: PlacedShell; readonly why: string },
  ) {
    this.#places = places;
    this.#options = options;
    this.#at = at;
    this.#choice = { place: at.place, why, lost: [] };
  }

  get at(): PlacedShell {
    return this.#at;
  }

  get choice(): PlaceChoice {
    return this.#choice;
  }

  /** The places after this one. */
  get later(): readonly NamedPlace[] {
    const here = this.#places.findIndex(({ name }) => name === this.#at.place.name);
    return this.#places.slice(here + 1);
  }

  tell(choice: PlaceChoice): void {
    this.#options.onChoice?.(choice);
  }

  /** Has the next place get ready, if that is wanted. One that cannot says so when the shell goes there. */
  standBy(): void {
    const [next] = this.later;
    if (!this.#options.standby || !next) return;
    const { backend, runtime, image } = next;
    backend.standBy?.({ runtime, ...(image === undefined ? {} : { image }) }).catch(() => undefined);
  }

  /**
   * Goes on at another place with a snapshot of now, unless it lacks the program. Where that fails, it stays.
   * @throws as `carryShell`
   */
  async goTo(
    to: NamedPlace,
    {
      why,
      signal,
      program,
    }: {
      readonly why: string;
      readonly signal: AbortSignal | undefined;
      readonly program?: string | undefined;
    },
  ): Promise<PlaceChoice> {
    if (to.name === this.#at.place.name) {
      this.#choice = { ...this.#choice, why };
      return this.#choice;
    }
    const mark = await markShell(this.#at, `to ${to.name}`);
    const made = await this.carry(to, { mark, signal });
    if (!(await keepIfHas(made, program, signal))) return this.#choice;
    const choice = this.choiceOf(made, { mark, why });
    await this.settle(made, choice);
    this.tell(choice);
    return choice;
  }

  /** A shell at another place that goes on from a mark: `settle` goes there, `discard` gives it up. @throws as `carryShell` */
  carry(to: NamedPlace, options: Pick<CarryOptions, 'mark' | 'signal'>): Promise<CarriedShell> {
    const { envs, cwd, metadata } = this.#options;
    const settings: SandboxSettings = {
      ...(envs ? { envs } : {}),
      ...(cwd === undefined ? {} : { cwd }),
      ...(metadata ? { metadata } : {}),
    };
    return carryShell(this.#at, { to, settings, ...options });
  }

  choiceOf(
    { place, lost }: CarriedShell,
    { mark, why }: { readonly mark: ShellMark; readonly why: string },
  ): PlaceChoice {
    const left = { sandbox: this.#at.sandbox.id, snapshot: mark.snapshot };
    return { place, why, left, lost };
  }

  /** Leaves its sandbox for that of `made`. With `undo`, what came after that snapshot is undone in the one that it leaves. */
  async settle(
    made: PlacedShell,
    choice: PlaceChoice,
    { undo }: { readonly undo?: ShellMark } = {},
  ): Promise<void> {
    const before = this.#at;
    this.#at = made;
    this.#choice = choice;
    this.standBy();
    if (this.#isGiven(before.sandbox)) {
      await this.#letGo(before);
      return;
    }
    // What it has left is whole either way.
    if (undo) await before.sandbox.checkout(undo.snapshot).catch(() => undefined);
    await this.#letGo(before).catch(() => undefined);
    await this.#noteLeft(before);
  }

  async close(): Promise<void> {
    try {
      await this.#letGo(this.#at);
    } finally {
      for (const left of this.#left.splice(0)) await discard(left);
    }
  }

  /** Nobody has been told of it: a sandbox that was made for it is deleted. */
  async giveUp(): Promise<void> {
    if (this.#isGiven(this.#at.sandbox)) await this.#letGo(this.#at);
    else await discard(this.#at);
  }

  async #noteLeft({ place, sandbox }: PlacedShell): Promise<void> {
    if (!this.#options.deletesLeft) return;
    this.#left.push({ place, sandbox });
    const oldest = this.#left.length > limits.routedShellLeft ? this.#left.shift() : undefined;
    if (oldest) await discard(oldest);
  }

  /** Of a sandbox that it was given, only the shell may be its own. */
  async #letGo({ sandbox, shell }: PlacedShell): Promise<void> {
    if (!this.#isGiven(sandbox)) await sandbox.close();
    else if (!this.#options.shell) await shell.close().catch(() => undefined);
  }

  #isGiven(sandbox: Sandbox): boolean {
    return sandbox === this.#options.sandbox;
  }
}
