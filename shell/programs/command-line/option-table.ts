/** An option, from a line as a help text has it: `-n, --lines=NUM  print the first NUM lines`. */
export interface OptionForm {
  readonly key: string;
  readonly shorts: readonly string[];
  readonly longs: readonly string[];
  readonly argument: 'none' | 'optional' | 'required';
  readonly synopsis: string;
  readonly description: string;
}

/** What a program's options are, to look them up by letter and by name. */
export interface OptionTable {
  readonly forms: readonly OptionForm[];
  readonly shorts: ReadonlyMap<string, OptionForm>;
  readonly longs: ReadonlyMap<string, OptionForm>;
}

const helpForms = {
  help: '--help  display this help and exit',
  version: '--version  output version information and exit',
};

/** Reads a table of option lines by key. Every program has `--help` and `--version`. */
export function readOptionTable(lines: Readonly<Record<string, string>>): OptionTable {
  const forms = Object.entries({ ...lines, ...helpForms }).map(([key, line]) => readForm(key, line));
  const shorts = new Map<string, OptionForm>();
  const longs = new Map<string, OptionForm>();
  for (const form of forms) {
    for (const letter of form.shorts) shorts.set(letter, form);
    for (const name of form.longs) longs.set(name, form);
  }
  return { forms, shorts, longs };
}

function readForm(key: string, line: string): OptionForm {
  const [synopsis = '', description = ''] = line.split(/ {2,}/);
  const shorts: string[] = [];
  const longs: string[] = [];
  let argument: OptionForm['argument'] = 'none';
  for (const form of synopsis.split(', ')) {
    const [, dashes, name = '', optional, required] =
      /^(--?)([^\s=[]+)(?:(\[=?\w+\])|[= ](.+))?$/.exec(form) ?? [];
    if (dashes === '--') longs.push(name);
    else shorts.push(name);
    if (required !== undefined) argument = 'required';
    if (optional !== undefined) argument = 'optional';
  }
  return { key, shorts, longs, argument, synopsis, description };
}

/** The help text's list of options. */
export function describeOptions({ forms }: OptionTable): string {
  return forms
    .filter(({ description }) => description !== '')
    .map(({ shorts, synopsis, description }) => {
      const left = `  ${shorts.length > 0 ? '' : '    '}${synopsis}`;
      return left.length < 28
        ? `${left.padEnd(28)}${description}\n`
        : `${left}\n${' '.repeat(28)}${description}\n`;
    })
    .join('');
}
