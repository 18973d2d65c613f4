import { latestMs } from '../format/date-text.ts';
import { importLimits } from './limits.ts';

/** The members of a JSON object that was not checked: each is looked at before it is used. */
export type Fields = Readonly<Record<string, unknown>>;

const none: Fields = {};

/** The members of a value; none of one that is no object. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : none;
}

export function textIn(fields: Fields, name: string): string | undefined {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}

export function numberIn(fields: Fields, name: string): number | undefined {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

export function fieldsIn(fields: Fields, name: string): Fields {
  return Object.hasOwn(fields, name) ? fieldsOf(fields[name]) : none;
}

export function listIn(fields: Fields, name: string): readonly unknown[] {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  return Array.isArray(value) ? value : [];
}

/** Milliseconds since the Unix epoch of a time as RFC 3339 writes it, or of seconds since then. */
export function timeIn(fields: Fields, name: string): number | undefined {
  const seconds = numberIn(fields, name);
  const ms = seconds === undefined ? Date.parse(textIn(fields, name) ?? '') : seconds * 1_000;
  return Number.isFinite(ms) && ms >= 0 && ms <= latestMs ? Math.round(ms) : undefined;
}

/** JSON as a value; `undefined` for what is no JSON, or is nested deeper than whoever handles it can bear. */
export function parseJson(text: string): unknown {
  if (isTooDeep(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isTooDeep(text: string): boolean {
  let depth = 0;
  let inText = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (inText) {
      if (code === backslash) at += 1;
      else if (code === quote) inText = false;
    } else if (code === quote) inText = true;
    else if (code === openBracket || code === openBrace) {
      depth += 1;
      if (depth > importLimits.jsonDepth) return true;
    } else if (code === closeBracket || code === closeBrace) depth -= 1;
  }
  return false;
}

const [quote, backslash] = [0x22, 0x5c];
const [openBracket, closeBracket] = [0x5b, 0x5d];
const [openBrace, closeBrace] = [0x7b, 0x7d];
