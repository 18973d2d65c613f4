import { violation } from './frame.ts';

/**
 * A check of one value that came from the peer: answers it, typed, or throws `protocol-violation` with
 * where it is wrong. What is not asked about passes, so that a newer peer may say more.
 */
export type Shape<T> = (value: unknown, where: string) => T;

/** Text of any length: the message it is in is bounded. */
export const text: Shape<string> = (value, where) => {
  if (typeof value !== 'string') throw wrong(where, 'text');
  return value;
};

/** A finite number. */
export const number: Shape<number> = (value, where) => {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw wrong(where, 'a number');
  return value;
};

export const flag: Shape<boolean> = (value, where) => {
  if (typeof value !== 'boolean') throw wrong(where, 'true or false');
  return value;
};

/** Nothing, or `null`. */
export const nothing: Shape<undefined> = (value, where) => {
  if (value !== undefined && value !== null) throw wrong(where, 'nothing');
  return undefined;
};

/** An integer from 0 to `most`. */
export function count(most: number): Shape<number> {
  return (value, where) => {
    if (!Number.isInteger(value) || Number(value) < 0 || Number(value) > most) {
      throw wrong(where, `an integer of at most ${most}`);
    }
    return Number(value);
  };
}

/** One of some texts. */
export function oneOf<const T extends string>(...values: readonly T[]): Shape<T> {
  return (value, where) => {
    if (!values.includes(value as T)) throw wrong(where, `one of ${values.join(', ')}`);
    return value as T;
  };
}

/** What is absent, or has the shape. */
export function optional<T>(shape: Shape<T>): Shape<T | undefined> {
  return (value, where) => (value === undefined ? undefined : shape(value, where));
}

export function list<T>(shape: Shape<T>): Shape<T[]> {
  return (value, where) => {
    if (!Array.isArray(value)) throw wrong(where, 'a list');
    for (const [index, each] of value.entries()) shape(each, `${where}[${index}]`);
    return value;
  };
}

/** An object with these fields at least. */
export function record<T>(fields: { readonly [K in keyof T]-?: Shape<T[K]> }): Shape<T> {
  const entries: [string, Shape<unknown>][] = Object.entries(fields);
  return (value, where) => {
    if (!isObject(value)) throw wrong(where, 'an object');
    for (const [key, shape] of entries)
      shape(Object.hasOwn(value, key) ? value[key] : undefined, `${where}.${key}`);
    return value as T;
  };
}

/** An object that says by its `type` which fields it has. */
export function variants<T extends { readonly type: string }>(
  cases: {
    readonly [K in T['type']]: Shape<Omit<Extract<T, { type: K }>, 'type'>>;
  },
): Shape<T> {
  const shapes = new Map<unknown, Shape<unknown>>(Object.entries(cases));
  return (value, where) => {
    const shape = isObject(value) ? shapes.get(value.type) : undefined;
    if (!shape) throw wrong(`${where}.type`, `one of ${[...shapes.keys()].join(', ')}`);
    shape(value, where);
    return value as T;
  };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function wrong(where: string, expected: string): Error {
  return violation(`something else than ${expected} as ${where}`);
}
