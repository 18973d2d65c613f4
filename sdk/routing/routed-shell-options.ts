import type { CreateOptions } from '../../protocol/sandbox/backend.ts';
import type { SandboxHooks } from '../command-hooks.ts';
import type { CommandResult } from '../commands.ts';
import type { Sandbox } from '../sandbox.ts';
import type { Shell, ShellRunOptions } from '../shells.ts';
import type { RuntimeNeeds } from './choose-runtime.ts';
import type { Place, PlaceChoice } from './place.ts';

export interface RoutedShellOptions
  extends Pick<CreateOptions, 'name' | 'envs' | 'cwd' | 'metadata' | 'workspace'> {
  /** The lightest first. A command that cannot run in one goes on in a later one, never in an earlier one by itself. */
  readonly places: readonly Place[];
  /** What the work cannot do without, as far as it is known: it begins in the first place that has it. */
  readonly needs?: RuntimeNeeds;
  /** The name of the place to begin in, whatever it needs. */
  readonly place?: string;
  /**
   * A sandbox to begin in, and a shell that it has opened (a new one by default): at `place`, or else the first place of its
   * runtime. It stays its owner's: it is neither closed nor deleted here, and commands that move on are not undone in it. Its
   * hooks go along; of its environment only `envs` does.
   */
  readonly sandbox?: Sandbox;
  readonly shell?: Shell;
  /** Told of each choice before anything runs there. `RoutedShell.sandbox` is another one when the command has ended. */
  readonly onChoice?: (choice: PlaceChoice) => void;
  /**
   * Delete the sandboxes that it has made and left, with all of their snapshots, when this is closed, and the oldest as soon as they
   * are more than `limits.routedShellLeft`. By default they stay.
   */
  readonly deletesLeft?: boolean;
  /**
   * Have the next place begin with what a move there takes, once this is open and after each move: in the tab, one worker with
   * the image, which the next sandbox there uses, or the page's end ends.
   */
  readonly standby?: boolean;
  /** Of the sandbox and of those that follow it; one that is given has its own. */
  readonly hooks?: SandboxHooks;
  /** Ends the opening. */
  readonly signal?: AbortSignal;
}

export interface RoutedShellRunOptions extends Omit<ShellRunOptions, 'stdin'> {
  readonly stdin?: string | Uint8Array;
  /** The name of the place to run in: the shell goes there, up or down, and the command runs nowhere else. */
  readonly place?: string;
  /** What the command cannot do without, as far as its caller knows. */
  readonly needs?: RuntimeNeeds;
  /** A command that takes longer than `timeoutMs` may run again in a place that is no slower. */
  readonly movesOnTimeout?: boolean;
}

/** What a command did, where, and why there. */
export interface RoutedShellResult extends CommandResult {
  readonly choice: PlaceChoice;
}
