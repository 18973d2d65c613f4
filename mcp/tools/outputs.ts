import {
  type ZodArray,
  type ZodNumber,
  type ZodObject,
  type ZodOptional,
  type ZodReadonly,
  type ZodRecord,
  type ZodString,
  type ZodUnknown,
  z,
} from 'zod';

export const textList: ZodReadonly<ZodArray<ZodString>> = z.array(z.string()).readonly();

/** Says of a list, or of output, that it was cut. */
export const cutOutput: ZodOptional<typeof textList> = textList
  .describe('Which fields are not whole; absent where all are.')
  .optional();

/** @see cutOutput */
export function cutIn(
  name: string,
  { shown, all }: { readonly shown: number; readonly all: number },
): { cut?: string[] } {
  return shown < all ? { cut: [name] } : {};
}

/** Why something went wrong. */
export const errorOutput: ZodObject<{
  code: ZodString;
  message: ZodString;
  details: ZodRecord<ZodString, ZodUnknown>;
}> = z.object({ code: z.string(), message: z.string(), details: z.record(z.string(), z.unknown()) });

/** What has changed since HEAD, and is in no snapshot. */
export const pendingOutput: ZodObject<{
  created: ZodNumber;
  modified: ZodNumber;
  deleted: ZodNumber;
  paths: typeof textList;
}> = z
  .object({ created: z.number(), modified: z.number(), deleted: z.number(), paths: textList })
  .describe('What has changed since HEAD; paths may be cut.');
