import type { ArchivePackage } from '../../../host/debian/archive-package.ts';
import type { Deb } from '../../../host/debian/read-deb.ts';
import type { Profile } from '../../profiles/profile.ts';
import type { RootWriter } from '../root-writer.ts';

/** A package with the paths of it that went into the root. */
export interface InstalledPackage {
  readonly package: ArchivePackage;
  readonly deb: Deb;
  readonly paths: readonly string[];
}

/** What an effect works on: the root with every package's files in it. */
export interface EffectContext {
  readonly root: RootWriter;
  readonly profile: Profile;
  readonly installed: readonly InstalledPackage[];
}

/** One thing that maintainer scripts do, done by the builder. */
export type Effect = (context: EffectContext) => void;
