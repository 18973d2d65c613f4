import { z } from '@hono/zod-openapi';
import { nearestName } from './nearest-name.ts';

/** Names that one message tells of. */
const namesTold = 3;

/** An object with these fields and no others: an unknown one is refused with the nearest known name. */
export function exactObject<Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
): z.ZodObject<Shape, z.core.$strict> {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') return undefined;
      const keys = issue.keys.slice(0, namesTold);
      return keys.map((key) => unknownName(key, { kind: 'field', known })).join('; ');
    },
  });
}

/** What is said of a name that a request has and that means nothing there. The name is the client's (H-9). */
export function unknownName(
  name: string,
  { kind, known }: { readonly kind: string; readonly known: readonly string[] },
): string {
  const near = nearestName(name, known);
  const told = known.length === 0 ? 'there are none' : `there are ${known.join(', ')}`;
  return `there is no ${kind} ${JSON.stringify(name.slice(0, 64))}; ${near === undefined ? told : `did you mean "${near}"?`}`;
}
