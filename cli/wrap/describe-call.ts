import { type Agent, details } from './agents.ts';

/** What a hook was told: something is about to be done, or was. */
export interface ToldCall {
  readonly when: 'before' | 'after';
  /** What is done, in one line. */
  readonly what: string;
  /** Where the agent works, as it says. */
  readonly directory?: string;
}

const most = 200;

/** Reads what an agent says of an event: JSON that is not trusted; nothing for an event that makes no snapshot. */
export function describeCall(payload: unknown, { title, payload: shape }: Agent): ToldCall | undefined {
  const said = isObject(payload) ? payload : {};
  const event = shape.event === undefined ? undefined : said[shape.event];
  const isBefore = typeof event === 'string' && shape.before.includes(event);
  const isAfter = shape.after.length === 0 || (typeof event === 'string' && shape.after.includes(event));
  if (!isBefore && !isAfter) return undefined;
  const tool = firstOf(said, shape.tool);
  const input = firstOf(said, shape.input);
  const { cwd } = said;
  return {
    when: isBefore ? 'before' : 'after',
    what: labelOf(tool ?? (input === undefined ? title : undefined), input),
    ...(typeof cwd === 'string' && cwd.startsWith('/') ? { directory: cwd } : {}),
  };
}

/** What the snapshot after a call of a tool is called, by an agent that tells its hook of both. */
export function callLabel(tool: string, input: unknown): string {
  return labelOf(tool, textOf(input));
}

function labelOf(...words: readonly (string | undefined)[]): string {
  return oneLine(words.filter((text) => text !== undefined).join(': '));
}

function firstOf(said: Readonly<Record<string, unknown>>, names: readonly string[]): string | undefined {
  for (const name of names) {
    const text = Object.hasOwn(said, name) ? textOf(said[name]) : undefined;
    if (text !== undefined && text.trim() !== '') return text;
  }
  return undefined;
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) {
    const texts = value.slice(0, 16).filter((each) => typeof each === 'string');
    return texts.length > 0 ? texts.join(' ') : undefined;
  }
  if (!isObject(value)) return undefined;
  const telling = details.find((name) => Object.hasOwn(value, name) && textOf(value[name]) !== undefined);
  return telling === undefined ? JSON.stringify(value).slice(0, most) : textOf(value[telling]);
}

/** As a label: what separates lines is a blank, and what else controls a terminal is gone. */
function oneLine(text: string): string {
  const line = text
    .slice(0, most * 2)
    .replace(/[\s\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/[\p{Cc}\p{Cs}\p{Bidi_Control}]/gu, '')
    .trim();
  return line.length > most ? `${line.slice(0, most - 1).replace(/\p{Cs}$/u, '')}…` : line;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
