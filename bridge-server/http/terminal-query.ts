import { z } from '@hono/zod-openapi';
import { exactObject } from './exact-object.ts';

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

const cells = z.coerce.number().int().min(1).max(1_000);

/** The size of a terminal when it opens. */
export const terminalQuery: z.ZodObject<
  {
    columns: z.ZodDefault<z.ZodCoercedNumber>;
    rows: z.ZodDefault<z.ZodCoercedNumber>;
  },
  z.core.$strict
> = exactObject({ columns: cells.default(80), rows: cells.default(24) });

/** What a client may say in text. */
export const terminalMessage: z.ZodType<TerminalSize & { type: 'resize' }> = exactObject({
  type: z.literal('resize'),
  columns: z.number().int().min(1).max(1_000),
  rows: z.number().int().min(1).max(1_000),
});
