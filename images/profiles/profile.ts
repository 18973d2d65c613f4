import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inRepository } from '../../host/repository.ts';
import { type Architecture, tabArchitecture } from '../../protocol/architecture.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { parseRecipe, type Recipe } from './recipe.ts';

const profilesPath = inRepository('images', 'profiles');

/** A profile with everything that it extends folded in. */
export interface Profile extends Recipe {
  readonly name: string;
  readonly lockPath: string;
  readonly architecture: Architecture;
  readonly hostname: string;
  readonly memoryMiB: number;
}

/** The names of all profiles, sorted. */
export async function listProfiles(): Promise<string[]> {
  const entries = await readdir(profilesPath, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}

/** Reads a profile and what it extends. @throws not-found, invalid-argument */
export async function readProfile(name: string): Promise<Profile> {
  const chain = await collect(name, []);
  const last = <T>(values: (T | undefined)[]) => values.findLast((value) => value !== undefined);
  const union = <T>(pick: (recipe: Recipe) => readonly T[]) => [...new Set(chain.flatMap(pick))];
  return {
    name,
    lockPath: join(profilesPath, name, 'lock.json'),
    extends: [],
    description: chain.at(-1)?.description ?? '',
    architecture: last(chain.map((recipe) => recipe.architecture)) ?? tabArchitecture,
    packages: union((recipe) => recipe.packages).sort(),
    without: Object.assign({}, ...chain.map((recipe) => recipe.without)),
    effects: union((recipe) => recipe.effects).sort(),
    alternatives: Object.assign({}, ...chain.map((recipe) => recipe.alternatives)),
    drop: union((recipe) => recipe.drop).sort(),
    keep: union((recipe) => recipe.keep).sort(),
    hostname: last(chain.map((recipe) => recipe.hostname)) ?? 'coppice',
    memoryMiB: last(chain.map((recipe) => recipe.memoryMiB)) ?? 128,
  };
}

/** The recipes that make up a profile, what is extended before what extends it. */
async function collect(name: string, path: readonly string[]): Promise<Recipe[]> {
  if (path.includes(name)) {
    throw new SandboxError(
      'invalid-argument',
      `Profiles extend one another in a circle: ${[...path, name].join(' → ')}`,
    );
  }
  const text = await readFile(join(profilesPath, name, 'image.json'), 'utf8').catch(
    async (cause: unknown) => {
      const known = (await listProfiles()).join(', ');
      throw new SandboxError('not-found', `There is no profile "${name}"; there are ${known}`, { cause });
    },
  );
  const recipe = parseRecipe(text, name);
  const bases = [];
  for (const base of recipe.extends) bases.push(...(await collect(base, [...path, name])));
  return [...bases, recipe];
}
