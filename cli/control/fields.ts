import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';

/** What an operation is told under one name. */
export interface Field {
  readonly kind: 'text' | 'flag' | 'count' | 'words';
  /** In a few words, for help and the reference. */
  readonly summary: string;
  readonly isRequired?: boolean;
  /** Given without its name on the command line of `ctl`. */
  readonly isArgument?: boolean;
}

export type Fields = Readonly<Record<string, Field>>;

interface Kinds {
  readonly text: string;
  readonly flag: boolean;
  readonly count: number;
  readonly words: readonly string[];
}

type ValueOf<F extends Field> = F extends { readonly isRequired: true }
  ? Kinds[F['kind']]
  : Kinds[F['kind']] | undefined;

/** The values of fields, once they are checked. */
export type AskOf<F extends Fields> = { readonly [Name in keyof F]: ValueOf<F[Name]> };

/** How many words one list has at most. */
const mostWords = 4_096;

const checks: { readonly [Kind in keyof Kinds]: { is(value: unknown): boolean; readonly what: string } } = {
  text: { is: (value) => typeof value === 'string', what: 'text' },
  flag: { is: (value) => typeof value === 'boolean', what: 'true or false' },
  count: {
    is: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
    what: 'a whole number from 0 on',
  },
  words: {
    is: (value) =>
      Array.isArray(value) && value.length <= mostWords && value.every((each) => typeof each === 'string'),
    what: 'a list of texts',
  },
};

/** Checks what a client gives for `fields`. @throws invalid-argument with the field's name */
export function readFields<F extends Fields>(
  fields: F,
  given: Readonly<Record<string, unknown>>,
  op: string,
): AskOf<F> {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(fields, name));
  if (unknown !== undefined) {
    const known = Object.keys(fields).join(', ') || 'none';
    throw invalid(
      op,
      `there is no field ${JSON.stringify(unknown.slice(0, limits.sandboxNameCharacters))}; it takes ${known}`,
    );
  }
  for (const [name, { kind, isRequired }] of Object.entries(fields)) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (value === undefined) {
      if (isRequired) throw invalid(op, `${name} is missing`);
    } else if (!checks[kind].is(value)) {
      throw invalid(op, `${name} has to be ${checks[kind].what}`);
    }
  }
  return given as AskOf<F>;
}

function invalid(op: string, why: string): SandboxError {
  return new SandboxError('invalid-argument', `Cannot carry out ${op}: ${why}`);
}
