import { maxSatisfying, satisfies } from 'semver';
import { asRecord } from '../../is-record.ts';
import { type Manifest, parseJson, parseManifest } from '../manifest.ts';
import { NpmError } from '../npm-error.ts';
import type { PackageSpec } from '../package-spec.ts';
import type { ProjectFiles } from '../project-files.ts';
import { integrityOf, integrityOfShasum, verifyIntegrity } from './integrity.ts';
import type { RegistryClient } from './registry-client.ts';
import { type PackageFile, unpackPackage } from './unpack-package.ts';

/** Where the files of a package are. Paths are relative to the project. */
export type PackageSource =
  | {
      readonly type: 'remote';
      /** Some locks leave it out: the registry says it. */
      readonly url: string | undefined;
      readonly integrity: string | undefined;
      /** A lock names it: the registry that is set now has it at the same path. */
      readonly isPortable: boolean;
    }
  | { readonly type: 'archive'; readonly path: string; readonly integrity: string }
  | { readonly type: 'folder'; readonly path: string };

type RemoteSource = Extract<PackageSource, { type: 'remote' }>;

export interface FoundPackage {
  readonly manifest: Manifest;
  readonly source: PackageSource;
}

/** Finds packages by what is asked for, and gets their files. */
export class PackageCatalog {
  readonly #registry: RegistryClient;
  readonly #project: ProjectFiles;
  /** Archives whose manifest had to be read first, until their files are asked for. */
  readonly #unpacked = new Map<string, Promise<{ files: PackageFile[]; integrity: string }>>();

  constructor(parts: { readonly registry: RegistryClient; readonly project: ProjectFiles }) {
    this.#registry = parts.registry;
    this.#project = parts.project;
  }

  /** Asks for what `find` will need. */
  prefetch(spec: PackageSpec): void {
    if ('packageName' in spec) void this.#registry.document(spec.packageName).catch(() => undefined);
  }

  /** @throws NpmError E404, ETARGET, ENOENT, and what the registry and archives fail with */
  async find(spec: PackageSpec): Promise<FoundPackage> {
    switch (spec.type) {
      case 'range':
      case 'tag':
        return this.#findVersion(spec);
      case 'tarball': {
        const { files, integrity } = await this.#unpack(spec.url, () =>
          this.#registry.archive(spec.url, undefined),
        );
        const source = { type: 'remote', url: spec.url, integrity, isPortable: false } as const;
        return { manifest: manifestOf(files, spec.url), source };
      }
      case 'archive': {
        const { files, integrity } = await this.#unpack(spec.path, () => this.#project.read(spec.path));
        return { manifest: manifestOf(files, spec.path), source: { ...spec, integrity } };
      }
      case 'folder': {
        const file = `${spec.path}/package.json`;
        const text = await this.#project.readText(file);
        if (text === undefined)
          throw new NpmError('ENOENT', `Cannot install ${spec.path}: there is no ${file}`);
        return { manifest: parseManifest(parseJson(text, file)), source: spec };
      }
    }
  }

  /** The files of a package that is no folder, compared with the hash that was announced. @throws NpmError */
  async files(
    source: Exclude<PackageSource, { type: 'folder' }>,
    { name: packageName, version }: Pick<Manifest, 'name' | 'version'>,
  ): Promise<PackageFile[]> {
    const what = `${packageName}@${version}`;
    const key = source.type === 'remote' ? (source.url ?? '') : source.path;
    const known = this.#unpacked.get(key);
    this.#unpacked.delete(key);
    if (known) {
      const { files, integrity } = await known;
      if (source.integrity === integrity) return files;
    }
    if (source.type === 'archive') {
      const bytes = await this.#project.read(source.path);
      await verifyIntegrity(bytes, { integrity: source.integrity, what });
      return unpackPackage(bytes, what);
    }
    const { url, integrity } = await this.#locate(source, { packageName, version });
    if (integrity === undefined)
      throw new NpmError(
        'EINTEGRITY',
        `There is nothing to compare ${what} with: the registry has no hash of it`,
      );
    return unpackPackage(await this.#registry.archive(url, integrity), what);
  }

  async #locate(
    { url, integrity, isPortable }: RemoteSource,
    { packageName, version }: { readonly packageName: string; readonly version: string },
  ): Promise<{ readonly url: string; readonly integrity: string | undefined }> {
    if (url !== undefined)
      return { url: isPortable ? this.#registry.addressOf(url, packageName) : url, integrity };
    const { source } = await this.#findVersion({ type: 'range', packageName, range: version });
    return { url: source.url ?? '', integrity: integrity ?? source.integrity };
  }

  async #findVersion(
    spec: Extract<PackageSpec, { packageName: string }>,
  ): Promise<FoundPackage & { readonly source: RemoteSource }> {
    const { packageName } = spec;
    const { versions, tags } = await this.#registry.document(packageName);
    const version = spec.type === 'tag' ? tags[spec.tag] : pickVersion(spec.range, { versions, tags });
    const found =
      typeof version === 'string' && Object.hasOwn(versions, version) ? versions[version] : undefined;
    if (found === undefined) {
      const wanted = spec.type === 'tag' ? spec.tag : spec.range;
      throw new NpmError('ETARGET', `No matching version found for ${packageName}@${wanted}.`);
    }
    const manifest = parseManifest(found);
    const { tarball, integrity, shasum } = asRecord(asRecord(found).dist);
    if (
      manifest.name !== packageName ||
      manifest.version !== version ||
      typeof tarball !== 'string' ||
      !URL.canParse(tarball)
    )
      throw new NpmError(
        'EREGISTRY',
        `The registry describes ${packageName}@${version} as another package, or without an archive`,
      );
    const hash =
      typeof integrity === 'string'
        ? integrity
        : typeof shasum === 'string'
          ? integrityOfShasum(shasum)
          : undefined;
    return { manifest, source: { type: 'remote', url: tarball, integrity: hash, isPortable: false } };
  }

  #unpack(
    key: string,
    read: () => Promise<Uint8Array<ArrayBuffer>>,
  ): Promise<{ files: PackageFile[]; integrity: string }> {
    const known = this.#unpacked.get(key);
    if (known) return known;
    const unpacking = (async () => {
      const bytes = await read();
      return { files: await unpackPackage(bytes, key), integrity: await integrityOf(bytes) };
    })();
    unpacking.catch(() => undefined);
    this.#unpacked.set(key, unpacking);
    return unpacking;
  }
}

/** As npm picks: the latest one if it will do, else the newest that is not deprecated, else the newest. */
function pickVersion(
  range: string,
  {
    versions,
    tags,
  }: {
    readonly versions: Readonly<Record<string, unknown>>;
    readonly tags: Readonly<Record<string, unknown>>;
  },
): string | undefined {
  const isUsable = (version: string) => !asRecord(versions[version]).deprecated;
  const { latest } = tags;
  const loose = { loose: true };
  if (typeof latest === 'string' && satisfies(latest, range, loose) && isUsable(latest)) return latest;
  const known = Object.keys(versions);
  return (
    maxSatisfying(known.filter(isUsable), range, loose) ?? maxSatisfying(known, range, loose) ?? undefined
  );
}

function manifestOf(files: readonly PackageFile[], what: string): Manifest {
  const file = files.find(({ path }) => path === 'package.json');
  if (!file) throw new NpmError('EBADARCHIVE', `${what} has no package.json`);
  return parseManifest(parseJson(new TextDecoder().decode(file.bytes), `package.json of ${what}`));
}
