import { isFalse, Repository, userSettingFiles } from '../../../../sandbox/git/library/repository.ts';
import { type FileSetting, SettingsFile, settingKey } from '../../../../sandbox/git/library/settings-file.ts';
import { absolutePath } from '../../../../shell/files/absolute-path.ts';
import { Regex } from '../../../../shell/programs/patterns/regex.ts';
import { RegexProblem } from '../../../../shell/programs/patterns/regex-node.ts';
import { encodeText } from '../../../../shell/text.ts';
import { GitCommandError, NotInShellError } from '../git-command-error.ts';
import type { GitCall, GitCommand } from './git-call.ts';
import { type ParsedWords, parseWords } from './parse-words.ts';

/** What `git config` does, of which one at most is given. */
const actions = [
  ...['get', 'get-all', 'get-regexp', 'add', 'replace-all', 'unset', 'unset-all'],
  ...['list', 'remove-section', 'rename-section'],
] as const;
type Action = (typeof actions)[number];

const types = ['bool', 'int', 'bool-or-int', 'path'] as const;
type Type = (typeof types)[number];

interface Asked {
  readonly key: string;
  /** As it was given, and is written. */
  readonly given: string;
  readonly type: Type | undefined;
  readonly matches: (value: string) => boolean;
}

export const config: GitCommand = async (git, words) => {
  const parsed = parseWords(words, {
    flags: [
      ...[
        'global',
        'local',
        'system',
        'worktree',
        'null z',
        'name-only',
        'fixed-value',
        'includes',
        'no-includes',
      ],
      ...actions.map((action) => (action === 'list' ? 'list l' : action)),
      ...types,
    ],
    values: ['file f', 'type', 'default'],
  });
  for (const option of ['system', 'worktree', 'rename-section'])
    if (parsed.has(option))
      throw new NotInShellError(`fatal: the git of a shell has no --${option} of config`);
  const given = actions.filter((action) => parsed.has(action));
  if (given.length > 1) throw new GitCommandError('error: only one action at a time', 129);
  const place = await placeOf(git, parsed);
  const end = parsed.has('null') ? '\0' : '\n';
  if (given[0] === 'list') {
    for (const { key, value } of await place.all()) {
      const rest =
        value === undefined || parsed.has('name-only') ? '' : `${end === '\0' ? '\n' : '='}${value}`;
      git.out.add(`${key}${rest}${end}`);
    }
    return 0;
  }
  const [path = '', value] = parsed.operands;
  if (given[0] === 'remove-section') return removeSection(place, path);
  const isSet =
    value !== undefined && (given.length === 0 || given[0] === 'add' || given[0] === 'replace-all');
  const action: Action | 'set' = given[0] ?? (isSet ? 'set' : 'get');
  if (action === 'get-regexp') return getMatching(git, place, parsed);
  const key = settingKey(path);
  if (key === undefined)
    throw new GitCommandError(
      path.includes('.') ? `error: invalid key: ${path}` : `error: key does not contain a section: ${path}`,
      isSet && !path.includes('.') ? 2 : 1,
    );
  const asked: Asked = {
    ...{ key, given: path, type: typeOf(parsed) },
    matches: patternOf(parsed, parsed.operands[isSet ? 2 : 1]),
  };
  if (action === 'get' || action === 'get-all')
    return get(git, place, { asked, parsed, isAll: action === 'get-all' });
  if (isSet) return set(git, place, { asked, action, value: typed(asked, value, 'set') });
  if (action === 'unset' || action === 'unset-all')
    return unset(git, place, { asked, isAll: action === 'unset-all' });
  throw new GitCommandError('error: wrong number of arguments, should be 2', 129);
};

/** Where settings are read from, in the order in which later ones count, and the file that is changed. */
interface Place {
  all(): Promise<readonly Pick<FileSetting, 'key' | 'value'>[]>;
  file(): Promise<SettingsFile>;
  write(text: string): Promise<void>;
}

async function placeOf(git: GitCall, parsed: ParsedWords): Promise<Place> {
  const named = parsed.value('file');
  if (named !== undefined) return fileOfCaller(git, absolutePath(git.cwd, named));
  const isGlobal = parsed.has('global');
  if (parsed.has('local') && !git.hasRepository)
    throw new GitCommandError('fatal: --local can only be used inside a git repository');
  const own = !isGlobal && git.hasRepository ? await git.open() : undefined;
  const users = own ?? (await openHome(git));
  const given = isGlobal || parsed.has('local') ? [] : [...git.settings];
  /** As git chooses it: the file in the home, unless only the other one is there. */
  const written =
    own?.settingsPath ??
    userSettingFiles.toReversed().find((path) => git.parts.files.isThere(path)) ??
    userSettingFiles.at(-1) ??
    '';
  const read = own
    ? [...(parsed.has('local') ? [] : userSettingFiles), own.settingsPath]
    : isGlobal
      ? [written]
      : userSettingFiles;
  const file = () => {
    if (!own && !isGlobal) throw new GitCommandError('fatal: not in a git directory');
    return users.settingsOf(written);
  };
  return {
    file,
    all: async () => [
      ...(await Promise.all(read.map((path) => users.settingsOf(path)))).flatMap(({ settings }) => settings),
      ...given.map(([key, value]) => ({ key: settingKey(key) ?? key, value })),
    ],
    write: (text) => writeSettings(git, own ?? users, { path: written, text }),
  };
}

/** For the files of the user alone. */
function openHome(git: GitCall): Promise<Repository> {
  const { signal } = git.call;
  return Repository.open(git.parts.files, '/home/user', { signal, what: 'fatal', isNew: true });
}

async function writeSettings(
  git: GitCall,
  { at }: Pick<Repository, 'at'>,
  { path, text }: { readonly path: string; readonly text: string },
): Promise<void> {
  // One in the home is in no working tree.
  if (path.startsWith(`${at.dir}/`)) await at.fs.promises.writeFile(path, text);
  else git.call.files.writeFile(path, encodeText(text), git.call);
}

function fileOfCaller(git: GitCall, path: string): Place {
  const read = () => {
    const isThere = git.call.files.exists(path);
    try {
      return new SettingsFile(isThere ? new TextDecoder().decode(git.call.files.readFile(path)) : '');
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw new GitCommandError(`fatal: ${error.message} in file ${path}`);
    }
  };
  return {
    file: async () => read(),
    all: async () => read().settings,
    write: async (text) => git.call.files.writeFile(path, encodeText(text), git.call),
  };
}

async function get(
  git: GitCall,
  place: Place,
  { asked, parsed, isAll }: { readonly asked: Asked; readonly parsed: ParsedWords; readonly isAll: boolean },
): Promise<number> {
  const found = (await place.all()).filter(
    ({ key, value }) => key === asked.key && asked.matches(value ?? ''),
  );
  const fallback = parsed.value('default');
  const values = found.map(({ value }) =>
    value === undefined ? (asked.type === undefined ? '' : 'true') : value,
  );
  if (values.length === 0 && fallback !== undefined) values.push(fallback);
  for (const value of isAll ? values : values.slice(-1))
    git.out.add(`${typed(asked, value, 'get')}${parsed.has('null') ? '\0' : '\n'}`);
  return values.length === 0 ? 1 : 0;
}

async function getMatching(git: GitCall, place: Place, parsed: ParsedWords): Promise<number> {
  const [pattern = '', valuePattern] = parsed.operands;
  const keys = expressionOf(pattern);
  const matches = patternOf(parsed, valuePattern);
  const [end, between] = parsed.has('null') ? ['\0', '\n'] : ['\n', ' '];
  let count = 0;
  for (const { key, value } of await place.all()) {
    if (!keys(key) || !matches(value ?? '')) continue;
    count += 1;
    const asked: Asked = { key, given: key, type: typeOf(parsed), matches };
    const shown =
      value === undefined && asked.type === undefined ? undefined : typed(asked, value ?? 'true', 'get');
    git.out.add(`${key}${shown === undefined || parsed.has('name-only') ? '' : `${between}${shown}`}${end}`);
  }
  return count === 0 ? 1 : 0;
}

async function set(
  git: GitCall,
  place: Place,
  {
    asked,
    action,
    value,
  }: { readonly asked: Asked; readonly action: Action | 'set'; readonly value: string },
): Promise<number> {
  const file = await place.file();
  const { key, given } = asked;
  const old =
    action === 'add'
      ? []
      : file.settings.filter((each) => each.key === key && asked.matches(each.value ?? ''));
  if (old.length > 1 && action === 'set') {
    await git.warn(
      `warning: ${key} has multiple values\nerror: cannot overwrite multiple values with a single value\n       Use a regexp, --add or --replace-all to change ${key}.`,
    );
    return 5;
  }
  await place.write(
    old.length === 0 ? file.withAdded(given, value) : file.withReplaced(old, { key: given, value }),
  );
  return 0;
}

async function unset(
  git: GitCall,
  place: Place,
  { asked, isAll }: { readonly asked: Asked; readonly isAll: boolean },
): Promise<number> {
  const file = await place.file();
  const old = file.settings.filter((each) => each.key === asked.key && asked.matches(each.value ?? ''));
  if (old.length > 1 && !isAll) await git.warn(`warning: ${asked.key} has multiple values`);
  if (old.length === 0 || (old.length > 1 && !isAll)) return 5;
  await place.write(file.withReplaced(old));
  return 0;
}

async function removeSection(place: Place, name: string): Promise<number> {
  const file = await place.file();
  const text = file.withoutSection(name);
  if (text === undefined) throw new GitCommandError(`fatal: no such section: ${name}`);
  await place.write(text);
  return 0;
}

function typeOf(parsed: ParsedWords): Type | undefined {
  const named = parsed.value('type');
  if (named === undefined) return types.find((type) => parsed.has(type));
  const type = types.find((each) => each === named);
  if (type === undefined) throw new NotInShellError(`fatal: the git of a shell knows no --type=${named}`);
  return type;
}

/** A value as its type has it. @throws GitCommandError for what is none */
function typed({ key, type }: Asked, value: string, verb: 'get' | 'set'): string {
  if (type === undefined) return value;
  if (type === 'path') return verb === 'get' ? value.replace(/^~\//, '/home/user/') : value;
  const number = /^\s*([+-]?\d{1,15})([kmg]?)$/i.exec(value);
  if (type !== 'bool' && number) {
    const scale = { '': 1, k: 1_024, m: 1_048_576, g: 1_073_741_824 }[(number[2] ?? '').toLowerCase()] ?? 1;
    return String(Number(number[1]) * scale);
  }
  if (type === 'int')
    throw new GitCommandError(`fatal: bad numeric config value '${value}' for '${key}': invalid unit`);
  if (isFalse(value)) return 'false';
  if (/^(?:true|yes|on)$/i.test(value)) return 'true';
  if (number) return Number(number[1]) === 0 ? 'false' : 'true';
  throw new GitCommandError(`fatal: bad boolean config value '${value}' for '${key}'`);
}

function patternOf(parsed: ParsedWords, text: string | undefined): (value: string) => boolean {
  if (text === undefined) return () => true;
  if (parsed.has('fixed-value')) return (value) => value === text;
  if (!text.startsWith('!')) return expressionOf(text);
  const matches = expressionOf(text.slice(1));
  return (value) => !matches(value);
}

function expressionOf(text: string): (value: string) => boolean {
  try {
    const regex = new Regex(text, { syntax: 'extended' });
    return (value) => regex.test(value);
  } catch (error) {
    if (!(error instanceof RegexProblem)) throw error;
    throw new GitCommandError(`error: invalid pattern: ${text}`, 6);
  }
}
