import type { ShellText } from '../../text.ts';
import type { Regex } from '../patterns/regex.ts';

/** `//` is the expression that was used last. */
export type SedRegex = Regex | 'last';

export type SedAddress =
  | { readonly type: 'line'; readonly line: number }
  | { readonly type: 'step'; readonly first: number; readonly step: number }
  | { readonly type: 'last' }
  | { readonly type: 'regex'; readonly regex: SedRegex }
  /** Only as the end of a range: so many lines on, or up to a multiple. */
  | { readonly type: 'count'; readonly lines: number }
  | { readonly type: 'multiple'; readonly of: number };

export type ReplacementPart =
  | { readonly type: 'text'; readonly text: ShellText }
  | { readonly type: 'group'; readonly index: number }
  | { readonly type: 'case'; readonly mode: 'upper' | 'lower' | 'end' | 'upper-next' | 'lower-next' };

export interface Substitution {
  readonly regex: SedRegex;
  readonly replacement: readonly ReplacementPart[];
  readonly isGlobal: boolean;
  readonly number: number;
  readonly prints: number;
  readonly evaluates: boolean;
  readonly file: ShellText | undefined;
}

export interface SedCommand {
  readonly name: string;
  readonly first: SedAddress | undefined;
  readonly second: SedAddress | undefined;
  readonly isNegated: boolean;
  /** Of `a`, `i`, `c`. */
  readonly text?: ShellText;
  /** Of `b`, `t`, `T`; where it leads is an index by then. */
  readonly label?: ShellText;
  /** Of `{`: the index of its `}`; of a jump: where it goes on. */
  target?: number;
  /** Of `r`, `R`, `w`, `W`. */
  readonly file?: ShellText;
  /** Of `q`, `Q`, `l`. */
  readonly number?: number | undefined;
  readonly substitution?: Substitution;
  /** Of `y`. */
  readonly map?: ReadonlyMap<string, string>;
  /** Whether a range has begun, and where it ends; changes while the script runs. */
  range: { isActive: boolean; end: number };
}
