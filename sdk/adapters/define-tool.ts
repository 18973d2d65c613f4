import { SandboxError } from '../../protocol/errors.ts';

/** A tool that a model may call, for any framework. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** A JSON schema of its input. */
  readonly parameters: ToolParameters;
  /**
   * Answers what the model is told, which JSON can hold. What the model can mend is an answer: `{ error }`.
   * @throws aborted, connection-lost, unauthenticated
   */
  run(input: unknown, options?: { readonly signal?: AbortSignal | undefined }): Promise<ToolAnswer>;
}

export interface ToolParameters {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, { readonly type: FieldType; readonly description: string }>>;
  readonly required: string[];
  readonly additionalProperties: false;
}

export type ToolAnswer = Readonly<Record<string, unknown>>;

interface FieldValues {
  readonly string: string;
  readonly integer: number;
}
type FieldType = keyof FieldValues;

interface Field {
  readonly type: FieldType;
  readonly description: string;
  readonly optional?: true;
}
type Fields = Readonly<Record<string, Field>>;

type InputOf<F extends Fields> = {
  readonly [K in keyof F]: FieldValues[F[K]['type']] | (F[K] extends { optional: true } ? undefined : never);
};

/** Makes a tool of its fields, which are both the schema that a model sees and the check of what it sends. */
export function defineTool<const F extends Fields>({
  name,
  description,
  fields,
  run,
}: {
  readonly name: string;
  readonly description: string;
  readonly fields: F;
  readonly run: (input: InputOf<F>, signal: AbortSignal | undefined) => Promise<ToolAnswer>;
}): ModelTool {
  const entries = Object.entries(fields);
  return {
    name,
    description,
    parameters: {
      type: 'object',
      properties: Object.fromEntries(
        entries.map(([key, field]) => [key, { type: field.type, description: field.description }]),
      ),
      required: entries.filter(([, field]) => !field.optional).map(([key]) => key),
      additionalProperties: false,
    },
    run: async (input, { signal } = {}) => {
      try {
        return await run(readInput(input, { name, fields }), signal);
      } catch (cause) {
        return { error: errorForModel(cause) };
      }
    },
  };
}

/** What a model is told of an error that it can mend. @throws the others */
export function errorForModel(cause: unknown): string {
  const error = SandboxError.from(cause);
  if (['aborted', 'connection-lost', 'unauthenticated', 'internal'].includes(error.code)) throw cause;
  return `${error.code}: ${error.message}`;
}

function readInput<F extends Fields>(
  input: unknown,
  { name, fields }: { readonly name: string; readonly fields: F },
): InputOf<F> {
  const given: Readonly<Record<string, unknown>> =
    typeof input === 'object' && input !== null ? { ...input } : {};
  const values = Object.entries(fields).map(([key, field]) => {
    // Many models send null for what they leave out.
    const value = (Object.hasOwn(given, key) ? given[key] : undefined) ?? undefined;
    if (value === undefined && field.optional) return [key, undefined];
    const isValid = field.type === 'integer' ? Number.isSafeInteger(value) : typeof value === 'string';
    if (isValid) return [key, value];
    const message = `Cannot call ${name}: "${key}" has to be ${field.type === 'integer' ? 'an integer' : 'a string'}`;
    throw new SandboxError('invalid-argument', message, { details: { tool: name, field: key } });
  });
  return Object.fromEntries(values) as InputOf<F>;
}
