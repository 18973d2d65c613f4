import { limits } from '../../protocol/limits.ts';

/** What a client prefers of an answer that may take long (RFC 7240). */
export interface Preference {
  /** It rather gets a 202 than waits. */
  readonly isAsync: boolean;
  /** How long it waits before that. */
  readonly waitMs: number;
}

/** Reads the header `Prefer`. What is not known, or makes no sense, counts as not preferred, as the RFC has it. */
export function readPreference(header: string | undefined): Preference {
  const wanted = new Map<string, string>();
  for (const part of (header ?? '').slice(0, 1_024).split(',')) {
    const [name = '', value = ''] = (part.split(';')[0] ?? '').split('=').map((text) => text.trim());
    // The first of several with one name counts.
    if (!wanted.has(name.toLowerCase())) wanted.set(name.toLowerCase(), value.replace(/^"(.*)"$/, '$1'));
  }
  const wait = wanted.get('wait') ?? '';
  const seconds = /^\d{1,6}$/.test(wait) ? Number(wait) : 0;
  return {
    isAsync: wanted.has('respond-async'),
    waitMs: Math.min(seconds * 1_000, limits.commandWaitMs),
  };
}
