import { subset } from 'semver';
import { asRecord, isRecord } from '../is-record.ts';
import { parseJson } from './manifest.ts';
import type { InstallRequest } from './npm-arguments.ts';
import { NpmError } from './npm-error.ts';
import { assertPackageName, isExactVersion, parsePackageSpec, splitArgument } from './package-spec.ts';
import type { ProjectFiles } from './project-files.ts';
import type { FoundPackage, PackageCatalog } from './registry/package-catalog.ts';
import type { Overrides } from './tree/package-tree.ts';

export const projectFile = 'package.json';

/** `package.json` as it is written: members, and how it is indented. */
export interface ProjectManifest {
  readonly members: Readonly<Record<string, unknown>>;
  readonly indent: string;
}

/** @throws NpmError ENOENT, EJSONPARSE */
export async function readProject(project: ProjectFiles): Promise<ProjectManifest> {
  const text = await project.readText(projectFile);
  if (text === undefined)
    throw new NpmError(
      'ENOENT',
      `Could not read ${projectFile}: there is none in this directory. Mount one, or name its directory by cwd`,
    );
  const members = parseJson(text, projectFile);
  if (!isRecord(members)) throw new NpmError('EJSONPARSE', `Cannot read ${projectFile}: it is no object`);
  if (members.workspaces !== undefined)
    throw new NpmError(
      'EUNSUPPORTED',
      'The installer of this host does not know workspaces: depend on their folders by "file:…"',
    );
  return { members, indent: /^[{[]\r?\n([ \t]+)/.exec(text)?.[1] ?? '  ' };
}

/** @throws NpmError EUNSUPPORTED for overrides below certain packages, EOVERRIDE for those of what the project asks for itself */
export function readOverrides(members: Readonly<Record<string, unknown>>): Overrides {
  const overrides = new Map<string, string>();
  const direct = { ...asRecord(members.devDependencies), ...asRecord(members.dependencies) };
  for (const [name, value] of Object.entries(asRecord(members.overrides))) {
    if (typeof value !== 'string')
      throw new NpmError(
        'EUNSUPPORTED',
        `The installer of this host does not know overrides below a package (${name}): name a version for all`,
      );
    assertPackageName(name);
    const version = value.startsWith('$') ? direct[value.slice(1)] : value;
    if (typeof version !== 'string')
      throw new NpmError('EOVERRIDE', `The override ${name}: ${value} names no dependency`);
    if (direct[name] !== undefined && direct[name] !== version)
      throw new NpmError(
        'EOVERRIDE',
        `Override for ${name}@${String(direct[name])} conflicts with direct dependency`,
      );
    overrides.set(name, version);
  }
  return overrides;
}

/** The project with the packages that were named. Their names are `added`. @throws NpmError */
export async function addPackages(
  { members, indent }: ProjectManifest,
  { request, catalog }: { readonly request: InstallRequest; readonly catalog: PackageCatalog },
): Promise<{ readonly project: ProjectManifest; readonly added: ReadonlySet<string> }> {
  const changed: Record<string, unknown> = { ...members };
  const added = new Set<string>();
  for (const argument of request.packages) {
    const { name, text } = await nameOf(argument, catalog);
    const key = request.saveTo ?? groupOf(name, members) ?? 'dependencies';
    for (const other of ['dependencies', 'devDependencies', 'optionalDependencies']) {
      const { [name]: _, ...rest } = asRecord(changed[other]);
      if (changed[other] !== undefined) changed[other] = rest;
    }
    const group = { ...asRecord(changed[key]), [name]: text(request) };
    changed[key] = Object.fromEntries(Object.entries(group).sort(([a], [b]) => a.localeCompare(b, 'en')));
    added.add(name);
  }
  return { project: { members: changed, indent }, added };
}

export function writeProject({ members, indent }: ProjectManifest): string {
  return `${JSON.stringify(members, undefined, indent)}\n`;
}

async function nameOf(
  argument: string,
  catalog: PackageCatalog,
): Promise<{ readonly name: string; readonly text: (request: InstallRequest) => string }> {
  const isAddress = /^(https?:|file:|\.{0,2}\/)/.test(argument);
  const { name, spec } = isAddress ? { name: '', spec: argument } : splitArgument(argument);
  if (name !== '') assertPackageName(name);
  const wanted = parsePackageSpec(name, spec);
  const found = await catalog.find(wanted);
  const own = name === '' ? found.manifest.name : name;
  assertPackageName(own);
  return { name: own, text: (request) => savedText(found, { spec, request }) };
}

/** As npm saves it: what is compatible with the version that was found, unless less was asked for. */
function savedText(
  { manifest, source }: FoundPackage,
  { spec, request }: { readonly spec: string; readonly request: InstallRequest },
): string {
  if (source.type === 'folder' || source.type === 'archive') return `file:${source.path}`;
  if (/^https?:/.test(spec)) return spec;
  const { spec: asked } = spec.startsWith('npm:') ? splitArgument(spec.slice('npm:'.length)) : { spec };
  const usual = request.savesExact ? manifest.version : `^${manifest.version}`;
  const isNarrower =
    isExactVersion(asked) || (asked !== '' && isRange(asked) && !subset(usual, asked, { loose: true }));
  const text = isNarrower ? asked : usual;
  return spec.startsWith('npm:') ? `npm:${manifest.name}@${text}` : text;
}

function isRange(text: string): boolean {
  return parsePackageSpec('any', text).type === 'range';
}

function groupOf(name: string, members: Readonly<Record<string, unknown>>): InstallRequest['saveTo'] {
  const groups = ['dependencies', 'devDependencies', 'optionalDependencies'] as const;
  return groups.find((group) => Object.hasOwn(asRecord(members[group]), name));
}
