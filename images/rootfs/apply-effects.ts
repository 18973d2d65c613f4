import type { EffectName } from '../profiles/recipe.ts';
import { accounts } from './effects/accounts.ts';
import { alternatives } from './effects/alternatives.ts';
import { caBundle } from './effects/ca-bundle.ts';
import { dpkgDatabase } from './effects/dpkg-database.ts';
import type { Effect, EffectContext } from './effects/effect.ts';
import { linkerCache } from './effects/linker-cache.ts';
import { machineFiles } from './effects/machine-files.ts';
import { packageSources } from './effects/package-sources.ts';
import { passwordlessRoot } from './effects/passwordless-root.ts';
import { quickLogin } from './effects/quick-login.ts';

/** In the order in which they are applied. `usr-merge` is not here: it comes before the packages. */
const effects: readonly (readonly [EffectName, Effect])[] = [
  ['machine-files', machineFiles],
  ['quick-login', quickLogin],
  ['accounts', accounts],
  ['alternatives', alternatives],
  ['ca-bundle', caBundle],
  ['passwordless-root', passwordlessRoot],
  ['package-sources', packageSources],
  ['linker-cache', linkerCache],
  ['dpkg-database', dpkgDatabase],
];

/** Applies those effects that the profile names. */
export function applyEffects(context: EffectContext): void {
  for (const [name, effect] of effects) {
    if (context.profile.effects.includes(name)) effect(context);
  }
}
