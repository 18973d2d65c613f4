/** Options of `set -o`, by their long names; letters as `set` has them. */
export const setOptions = {
  allexport: 'a',
  braceexpand: 'B',
  emacs: undefined,
  errexit: 'e',
  errtrace: 'E',
  functrace: 'T',
  hashall: 'h',
  histexpand: 'H',
  history: undefined,
  ignoreeof: undefined,
  'interactive-comments': undefined,
  keyword: 'k',
  monitor: 'm',
  noclobber: 'C',
  noexec: 'n',
  noglob: 'f',
  nolog: undefined,
  notify: 'b',
  nounset: 'u',
  onecmd: 't',
  physical: 'P',
  pipefail: undefined,
  posix: undefined,
  privileged: 'p',
  verbose: 'v',
  vi: undefined,
  xtrace: 'x',
} as const;

export type SetOption = keyof typeof setOptions;

/** Options of `shopt` that bash 5.2 has. */
export type ShoptOption = string;

/** Which options are on. */
export interface ShellOptions {
  has(option: SetOption): boolean;
  set(option: SetOption, on: boolean): void;
  hasShopt(option: ShoptOption): boolean;
  /** Whether there is such an option. */
  setShopt(option: ShoptOption, on: boolean): boolean;
  shoptNames(): readonly ShoptOption[];
  /** `$-`. */
  letters(): string;
  clone(): ShellOptions;
}
/** Options of `shopt` that bash 5.2 has, with what they are when a script starts. */
const shoptDefaults: ReadonlyMap<string, boolean> = new Map([
  ['autocd', false],
  ['assoc_expand_once', false],
  ['cdable_vars', false],
  ['cdspell', false],
  ['checkhash', false],
  ['checkjobs', false],
  ['checkwinsize', true],
  ['cmdhist', true],
  ['compat31', false],
  ['compat32', false],
  ['compat40', false],
  ['compat41', false],
  ['compat42', false],
  ['compat43', false],
  ['compat44', false],
  ['complete_fullquote', true],
  ['direxpand', false],
  ['dirspell', false],
  ['dotglob', false],
  ['execfail', false],
  ['expand_aliases', false],
  ['extdebug', false],
  ['extglob', false],
  ['extquote', true],
  ['failglob', false],
  ['force_fignore', true],
  ['globasciiranges', true],
  ['globskipdots', true],
  ['globstar', false],
  ['gnu_errfmt', false],
  ['histappend', false],
  ['histreedit', false],
  ['histverify', false],
  ['hostcomplete', true],
  ['huponexit', false],
  ['inherit_errexit', false],
  ['interactive_comments', true],
  ['lastpipe', false],
  ['lithist', false],
  ['localvar_inherit', false],
  ['localvar_unset', false],
  ['login_shell', false],
  ['mailwarn', false],
  ['no_empty_cmd_completion', false],
  ['nocaseglob', false],
  ['nocasematch', false],
  ['noexpand_translation', false],
  ['nullglob', false],
  ['patsub_replacement', true],
  ['progcomp', true],
  ['progcomp_alias', false],
  ['promptvars', true],
  ['restricted_shell', false],
  ['shift_verbose', false],
  ['sourcepath', true],
  ['varredir_close', false],
  ['xpg_echo', false],
]);

/** The order of letters in `$-`, as bash's table of flags has it. */
const letterOrder = 'abefhikmnprtuvxBCEHPTcs';

/** The options of one shell, which start as those of `bash script` do. */
export class BashOptions implements ShellOptions {
  readonly #on: Set<SetOption>;
  readonly #shopts: Map<ShoptOption, boolean>;
  /** Letters of `$-` that are no options: `i` of an interactive shell, `c` of `bash -c`, `s` of one that reads its input. */
  readonly #invocation: string;

  constructor({ invocation = '' }: { invocation?: string } = {}) {
    this.#on = new Set(['braceexpand', 'hashall', 'interactive-comments']);
    this.#shopts = new Map(shoptDefaults);
    this.#invocation = invocation;
  }

  has(option: SetOption): boolean {
    return this.#on.has(option);
  }

  set(option: SetOption, on: boolean): void {
    if (on) this.#on.add(option);
    else this.#on.delete(option);
    if (on && option === 'emacs') this.#on.delete('vi');
    if (on && option === 'vi') this.#on.delete('emacs');
    if (option === 'interactive-comments') this.#shopts.set('interactive_comments', on);
    // A shell that turns to POSIX mode expands aliases, and inherits `set -e` in substitutions.
    if (option === 'posix') {
      this.#shopts.set('inherit_errexit', on);
      if (on) this.#shopts.set('expand_aliases', true);
    }
  }

  hasShopt(option: ShoptOption): boolean {
    return this.#shopts.get(option) ?? false;
  }

  setShopt(option: ShoptOption, on: boolean): boolean {
    if (!this.#shopts.has(option)) return false;
    this.#shopts.set(option, on);
    if (option === 'interactive_comments') this.set('interactive-comments', on);
    return true;
  }

  shoptNames(): readonly ShoptOption[] {
    return [...shoptDefaults.keys()];
  }

  letters(): string {
    const letters = new Set<string>();
    for (const option of this.#on) {
      const letter = setOptions[option];
      if (letter !== undefined) letters.add(letter);
    }
    for (const letter of this.#invocation) letters.add(letter);
    return [...letterOrder].filter((letter) => letters.has(letter)).join('');
  }

  clone(): BashOptions {
    const copy = new BashOptions({ invocation: this.#invocation });
    copy.#on.clear();
    for (const option of this.#on) copy.#on.add(option);
    for (const [option, on] of this.#shopts) copy.#shopts.set(option, on);
    return copy;
  }
}
