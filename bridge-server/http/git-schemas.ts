import { z } from '@hono/zod-openapi';
import { limits } from '../../protocol/limits.ts';
import type {
  GitBranches,
  GitCommit,
  GitCredentials,
  GitHead,
  GitMerged,
  GitPerson,
  GitStatus,
} from '../../protocol/sandbox/git.ts';
import { exactObject } from './exact-object.ts';
import { type Loose, pathSchema } from './schemas.ts';

/** The name of a branch, a tag or a remote, or a commit. */
export const gitRefSchema: z.ZodType<string> = z.string().min(1).max(limits.gitRefCharacters);
/** A line or a text, such as a message. */
export const gitTextSchema: z.ZodType<string> = z.string().min(1).max(limits.execArgumentBytes);
export const gitUrlSchema: z.ZodType<string> = z.string().min(1).max(limits.gitUrlCharacters);
export const gitDirectorySchema: z.ZodType<string> = pathSchema.openapi({
  description: 'The top directory of a working tree.',
  example: '/home/user/project',
});
export const gitCredentialsSchema: z.ZodType<GitCredentials> = exactObject({
  origin: gitUrlSchema,
  username: gitTextSchema,
  password: gitTextSchema,
}).openapi({ description: 'For that server only. They are neither stored nor logged.' });
export const submodulesSchema: z.ZodType<boolean | undefined> = z
  .boolean()
  .optional()
  .openapi({ description: 'With its submodules; 501 in shells.' });
export const gitAuthorSchema: z.ZodType<GitPerson> = exactObject({
  name: gitTextSchema,
  email: gitTextSchema,
}).openapi({ description: 'Who git is configured with by default.' });

const headShape = {
  head: z.string().optional().openapi({ description: 'The id of a commit; absent before the first.' }),
  branch: z.string().optional().openapi({ description: 'Absent where HEAD is detached.' }),
};
const change = z.enum(['unchanged', 'added', 'modified', 'deleted', 'untracked', 'conflicted']);

/** With mutable lists, as zod has them. */
type MutableLists<T> = {
  -readonly [Key in keyof T]: T[Key] extends readonly (infer Item)[] ? Item[] : T[Key];
};

/** What they answer. */
export const gitHead: z.ZodType<Loose<GitHead>> = z.object(headShape).openapi('GitHead');
export const gitMerged: z.ZodType<Loose<GitMerged>> = z
  .object({ ...headShape, kind: z.enum(['up-to-date', 'fast-forward', 'merge']) })
  .openapi('GitMerged');
export const gitStatus: z.ZodType<MutableLists<Loose<GitStatus>>> = z
  .object({
    ...headShape,
    files: z.array(z.object({ path: z.string(), staged: change, unstaged: change })),
    more: z.number().openapi({ description: `How many files there are beyond ${limits.gitStatusFiles}.` }),
  })
  .openapi('GitStatus');
export const gitCommit: z.ZodType<MutableLists<Loose<GitCommit>>> = z
  .object({
    id: z.string(),
    parents: z.array(z.string()),
    message: z.string(),
    author: z.object({ name: z.string(), email: z.string() }),
    authoredAtMs: z.number(),
  })
  .openapi('GitCommit');
export const gitBranches: z.ZodType<MutableLists<Loose<GitBranches>>> = z
  .object({
    current: z.string().optional(),
    upstream: z
      .object({
        name: z.string(),
        ahead: z.number(),
        behind: z.number(),
        isMore: z.boolean().openapi({ description: 'Whether both are at least so many.' }),
      })
      .optional()
      .openapi({ description: 'The remote branch that the current one follows, as it was last fetched.' }),
    branches: z.array(z.object({ name: z.string(), commit: z.string(), isRemote: z.boolean() })),
  })
  .openapi('GitBranches');
export const gitDiff: z.ZodObject<{ patch: z.ZodString; isCut: z.ZodBoolean }> = z
  .object({ patch: z.string(), isCut: z.boolean() })
  .openapi('GitDiff');
