import type { z } from '@hono/zod-openapi';

/** A body in JSON, of a request or an answer, with an example that a reader can send as it is. */
export function json<Schema extends z.ZodType>(
  schema: Schema,
  example?: z.input<Schema>,
): { 'application/json': { schema: Schema; example?: z.input<Schema> } } {
  return { 'application/json': { schema, ...(example === undefined ? {} : { example }) } };
}
