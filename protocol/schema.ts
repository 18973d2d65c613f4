import { SandboxError } from './errors.ts';

/** A check of one value that came from another process: answers it, typed, or throws `protocol-violation`. */
export interface Schema<T> {
  (value: unknown, where: string): T;
  /** The fields that a `closed` record takes. */
  readonly fields?: readonly string[];
  /** The types that `variants` knows. */
  readonly types?: readonly string[];
}

/**
 * A schema for each field of `T`, optional ones too: one that was forgotten does not compile. That is why `T` comes from
 * where the schema is used, and is never inferred from the fields.
 */
type FieldsOf<T> = { readonly [K in keyof NoInfer<T>]-?: Schema<NoInfer<T>[K]> };

/** The longest part of a wrong value's path that an error tells. */
const pathLength = 1_024;

/** Text of any length: the message that it is in is bounded. */
export const text: Schema<string> = (value, where) => {
  if (typeof value !== 'string') throw mismatch(where, 'text');
  return value;
};

/** Text of at most `most` UTF-16 units. */
export function textUpTo(most: number): Schema<string> {
  return (value, where) => {
    if (text(value, where).length > most) throw mismatch(where, `text of at most ${most} characters`);
    return value as string;
  };
}

/** A finite number. */
export const number: Schema<number> = (value, where) => {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw mismatch(where, 'a number');
  return value;
};

export const flag: Schema<boolean> = (value, where) => {
  if (typeof value !== 'boolean') throw mismatch(where, 'true or false');
  return value;
};

/** Nothing, or `null`. */
export const nothing: Schema<undefined> = (value, where) => {
  if (value !== undefined && value !== null) throw mismatch(where, 'nothing');
  return undefined;
};

/** An integer from `least` to `most`. */
export function integer(least: number, most: number): Schema<number> {
  return (value, where) => {
    if (!Number.isInteger(value) || Number(value) < least || Number(value) > most) {
      throw mismatch(where, `an integer from ${least} to ${most}`);
    }
    return Number(value);
  };
}

/** An integer from 0 to `most`. */
export function count(most: number): Schema<number> {
  return integer(0, most);
}

/** A number above 0 or, with `from`, of at least that. */
export function numberUpTo(most: number, { from }: { readonly from?: number } = {}): Schema<number> {
  return (value, where) => {
    const given = number(value, where);
    if (given > most || (from === undefined ? given <= 0 : given < from)) {
      throw mismatch(where, `a number ${from === undefined ? 'above 0' : `from ${from}`}, up to ${most}`);
    }
    return given;
  };
}

/** One of some texts. */
export function oneOf<const T extends string>(...values: readonly T[]): Schema<T> {
  return (value, where) => {
    if (!values.includes(value as T)) throw mismatch(where, `one of ${values.join(', ')}`);
    return value as T;
  };
}

/** One of some words, or one that only a newer peer knows: whoever reads it has to expect that. */
export function word<const T extends string>(..._known: readonly T[]): Schema<T> {
  return (value, where) => text(value, where) as T;
}

/** What is absent, or valid. */
export function optional<T>(schema: Schema<T>): Schema<T | undefined> {
  return (value, where) => (value === undefined ? undefined : schema(value, where));
}

/** As `optional`, for a field that may be absent but never is `undefined`, which does not cross as a value. */
export function absentOr<T>(schema: Schema<T>): Schema<T> {
  return optional(schema) as Schema<T>;
}

/** What the first schema takes, or else the second. */
export function either<A, B>(first: Schema<A>, second: Schema<B>): Schema<A | B> {
  return (value, where) => {
    try {
      return first(value, where);
    } catch {
      return second(value, where);
    }
  };
}

export function list<T>(
  schema: Schema<T>,
  { least = 0, most = Number.POSITIVE_INFINITY }: { readonly least?: number; readonly most?: number } = {},
): Schema<T[]> {
  return (value, where) => {
    if (!Array.isArray(value)) throw mismatch(where, 'a list');
    if (value.length < least || value.length > most) {
      throw mismatch(where, `a list of ${least} to ${most} entries`);
    }
    for (const [index, each] of value.entries()) schema(each, `${where}[${index}]`);
    return value;
  };
}

/** An object with these fields at least: a newer peer may say more. */
export function record<T>(fields: FieldsOf<T>): Schema<T> {
  const entries: [string, Schema<unknown>][] = Object.entries(fields);
  return (value, where) => {
    if (!isObject(value)) throw mismatch(where, 'an object');
    for (const [key, schema] of entries)
      schema(Object.hasOwn(value, key) ? value[key] : undefined, `${where}.${key}`);
    return value as T;
  };
}

/** An object with these fields and no others, copied without what is absent. */
export function closed<T extends object>(fields: FieldsOf<T>): Schema<T> {
  const entries: [string, Schema<unknown>][] = Object.entries(fields);
  const known = entries.map(([key]) => key);
  const check = (value: unknown, where: string): T => {
    if (!isObject(value)) throw mismatch(where, 'an object');
    const unknown = Object.keys(value).find((key) => !known.includes(key));
    if (unknown !== undefined)
      throw mismatch(`${where}.${unknown}`, `one of ${known.join(', ') || 'no fields'}`);
    const taken: Record<string, unknown> = {};
    for (const [key, schema] of entries) {
      const checked = schema(Object.hasOwn(value, key) ? value[key] : undefined, `${where}.${key}`);
      if (checked !== undefined) taken[key] = checked;
    }
    return taken as T;
  };
  return Object.assign(check, { fields: known });
}

/** An object of any keys, copied; a key `__proto__`, which would name the object's prototype, is left out. */
export function dictionary<T>(key: Schema<string>, entry: Schema<T>): Schema<Readonly<Record<string, T>>> {
  return (value, where) => {
    if (!isObject(value)) throw mismatch(where, 'an object');
    const entries = Object.entries(value).filter(([name]) => name !== '__proto__');
    return Object.fromEntries(
      entries.map(([name, each]) => [key(name, where), entry(each, `${where}.${name}`)]),
    );
  };
}

/** An object that says by its `type` which fields it has; one of a type that only a newer peer knows passes as it is. */
export function variants<T extends { readonly type: string }>(
  cases: {
    readonly [K in T['type']]: Schema<Omit<Extract<T, { type: K }>, 'type'>>;
  },
): Schema<T> {
  const schemas = new Map<unknown, Schema<unknown>>(Object.entries(cases));
  const check = (value: unknown, where: string): T => {
    if (!isObject(value)) throw mismatch(where, 'an object');
    const type = text(value.type, `${where}.type`);
    schemas.get(type)?.(value, where);
    return value as unknown as T;
  };
  return Object.assign(check, { types: Object.keys(cases) });
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The peer sent something else than it should have. */
export function mismatch(where: string, expected: string): SandboxError {
  const path = where.slice(0, pathLength);
  const message = `Cannot go on with the peer: it sent something else than ${expected} as ${path}`;
  return new SandboxError('protocol-violation', message, { details: { where: path, expected } });
}
