import { SandboxError } from '../../protocol/errors.ts';
import type { AgentSettings } from './agents.ts';

/** How deep settings are nested at most: what is deeper is nobody's configuration. */
const depth = 8;

/** The command that an agent is to run for each event. */
export interface HookCommand {
  readonly words: readonly string[];
  /** By which ours is found again: `coppice hook claude`. */
  readonly mark: string;
}

/** What is put in, as text that a person can paste. */
export function settingsText(settings: AgentSettings, hook: HookCommand): string {
  if (settings.type === 'lines') return filledLines(settings.lines, hook).join('\n');
  return JSON.stringify(filled(settings.members, hook), undefined, 2);
}

/**
 * A file of an agent with our part in it, once, and all else as it was. @throws invalid-argument where it is not what it should be;
 * already-exists for a name that can be set once and is
 */
export function addSettings(text: string, settings: AgentSettings, hook: HookCommand): string {
  const without = removeSettings(text, settings, hook);
  if (settings.type === 'json') {
    const merged = merge(parseObject(without), filled(settings.members, hook), 0);
    return `${JSON.stringify(merged, undefined, indentOf(text))}\n`;
  }
  const set = settings.keys.find((key) => new RegExp(`^\\s*${key}\\s*[:=]`, 'm').test(without));
  if (set === undefined) return [...block(settings, hook), without].join('\n');
  const message = `${set} is set there already, and can be set once: have it run ${quoted(hook.words)} as well`;
  throw new SandboxError('already-exists', message);
}

/** The file without our part. @throws invalid-argument */
export function removeSettings(text: string, settings: AgentSettings, hook: HookCommand): string {
  if (settings.type === 'json') {
    if (!text.includes(hook.mark)) return text;
    const value = parseObject(text);
    const { hooks, ...others } = value;
    const rest = withoutHook(hooks, commandPattern(hook), 0);
    if (rest === hooks) return text;
    const without = rest === undefined ? others : { ...value, hooks: rest };
    return `${JSON.stringify(without, undefined, indentOf(text))}\n`;
  }
  const [begin, end] = marks(settings.comment);
  const lines = text.split('\n');
  const [from, to] = [lines.indexOf(begin), lines.indexOf(end)];
  return from < 0 || to < from ? text : [...lines.slice(0, from), ...lines.slice(to + 1)].join('\n');
}

/** Words as a shell takes them. */
function quoted(words: readonly string[]): string {
  return words
    .map((word) => (/^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(' ');
}

function block(settings: AgentSettings & { readonly type: 'lines' }, hook: HookCommand): string[] {
  const [begin, end] = marks(settings.comment);
  return [begin, ...filledLines(settings.lines, hook), end];
}

function marks(comment: string): readonly [string, string] {
  return [`${comment} coppice wrap: begin`, `${comment} coppice wrap: end`];
}

function filledLines(lines: readonly string[], hook: HookCommand): readonly string[] {
  return lines.map((line) =>
    line
      .replaceAll('{argv}', JSON.stringify(hook.words))
      .replaceAll("'{hook}'", () => `'${quoted(hook.words).replaceAll("'", "''")}'`),
  );
}

function filled(value: unknown, hook: HookCommand): unknown {
  if (value === '{hook}') return quoted(hook.words);
  if (Array.isArray(value)) return value.map((each) => filled(each, hook));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, filled(each, hook)]));
}

/** Objects member by member, lists one after the other; of anything else, what is there stays. */
function merge(there: unknown, ours: unknown, level: number): unknown {
  if (there === undefined) return ours;
  if (Array.isArray(there) && Array.isArray(ours)) return [...there, ...ours];
  if (!isObject(there) || !isObject(ours) || level > depth) {
    if (typeof there === typeof ours && !isObject(there) && !isObject(ours)) return there;
    throw new SandboxError(
      'invalid-argument',
      'The settings there have another shape than those of this agent',
    );
  }
  const merged: Record<string, unknown> = { ...there };
  for (const [name, value] of Object.entries(ours)) {
    merged[name] = merge(Object.hasOwn(there, name) ? there[name] : undefined, value, level + 1);
  }
  return merged;
}

/** Commands that we write, with whatever sandbox and folder, and no others: a person's own may begin with ours. */
function commandPattern({ mark }: HookCommand): RegExp {
  const word = String.raw`(?:[\w./:@%+=-]+|'(?:[^']|'\\'')*')`;
  return new RegExp(`^${mark}(?: --sandbox ${word})?(?: --root ${word})?$`);
}

/** Hooks without those whose command is ours, and without what is empty for that; nothing where nothing is left. */
function withoutHook(value: unknown, ours: RegExp, level: number): unknown {
  if (level > depth) return value;
  if (Array.isArray(value)) {
    const rest = value.flatMap((each) => {
      const left = withoutHook(each, ours, level + 1);
      return left === undefined ? [] : [left];
    });
    if (rest.length === value.length && rest.every((each, index) => each === value[index])) return value;
    return rest.length > 0 ? rest : undefined;
  }
  if (!isObject(value)) return value;
  if (typeof value.command === 'string' && ours.test(value.command)) return undefined;
  const members = Object.entries(value);
  const rest = members.flatMap(([name, each]) => {
    const left = withoutHook(each, ours, level + 1);
    return left === undefined ? [] : [[name, left] as const];
  });
  if (rest.length === members.length && rest.every(([name, left]) => left === value[name])) return value;
  // A matcher without hooks matches for nothing.
  const isMatcher = Object.hasOwn(value, 'hooks') && !rest.some(([name]) => name === 'hooks');
  return isMatcher || rest.length === 0 ? undefined : Object.fromEntries(rest);
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // It is told below.
  }
  throw new SandboxError(
    'invalid-argument',
    'The file is not plain JSON: put in by hand what coppice wrap prints',
  );
}

function indentOf(text: string): string | number {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? 2;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
