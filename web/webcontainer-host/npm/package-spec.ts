import { valid, validRange } from 'semver';
import { NpmError } from './npm-error.ts';

/** Which package a dependency asks for. Paths are relative to the project. */
export type PackageSpec =
  | { readonly type: 'range'; readonly packageName: string; readonly range: string }
  | { readonly type: 'tag'; readonly packageName: string; readonly tag: string }
  | { readonly type: 'tarball'; readonly url: string }
  | { readonly type: 'archive'; readonly path: string }
  | { readonly type: 'folder'; readonly path: string };

/** Names are parts of paths: none of these has a dot at its start, or another slash than that of its scope. */
const packageName = /^(?:@[a-z0-9-~][\w.~-]*\/)?[a-z0-9-~][\w.~-]*$/i;
const mostNameCharacters = 214;

/** @throws NpmError EINVALIDPACKAGENAME */
export function assertPackageName(name: string): void {
  const isName = packageName.test(name) && name.length <= mostNameCharacters && name !== 'node_modules';
  if (!isName)
    throw new NpmError('EINVALIDPACKAGENAME', `Invalid package name ${JSON.stringify(name.slice(0, 100))}`);
}

/**
 * What `"name": "text"` among the dependencies of a package means.
 * @param from The folder of that package, relative to the project; `''` for the project itself.
 * @throws NpmError EUNSUPPORTED for repositories, which names it; EINVALIDTAGNAME, EINVALIDPACKAGENAME
 */
export function parsePackageSpec(name: string, text: string, from = ''): PackageSpec {
  const wanted = text.trim();
  if (/^https?:/i.test(wanted) && !/\.git(#|$)/.test(wanted)) return { type: 'tarball', url: wanted };
  if (/^(file:|\.{1,2}(\/|$)|\/|~\/)/.test(wanted)) return parsePath(wanted.replace(/^file:/, ''), from);
  if (wanted.startsWith('npm:')) {
    const { name: other, spec } = splitArgument(wanted.slice('npm:'.length));
    return parseVersion(other, spec);
  }
  if (/[:/]/.test(wanted))
    throw new NpmError(
      'EUNSUPPORTED',
      `Cannot install ${name}@${wanted}: the installer takes packages of registries, archives and folders. Name a version, or the address of an archive`,
    );
  return parseVersion(name, wanted);
}

/** `name`, `name@1`, `@scope/name@1` in two. A spec that is not there is `''`. */
export function splitArgument(argument: string): { readonly name: string; readonly spec: string } {
  const at = argument.indexOf('@', 1);
  return at < 0
    ? { name: argument, spec: '' }
    : { name: argument.slice(0, at), spec: argument.slice(at + 1) };
}

/** A version, not a range or a tag. */
export function isExactVersion(text: string): boolean {
  return valid(text, { loose: true }) !== null;
}

function parseVersion(name: string, text: string): PackageSpec {
  assertPackageName(name);
  if (text === '' || text === 'latest') return { type: 'tag', packageName: name, tag: 'latest' };
  if (validRange(text, { loose: true }) !== null) return { type: 'range', packageName: name, range: text };
  if (encodeURIComponent(text) !== text)
    throw new NpmError('EINVALIDTAGNAME', `Invalid version or tag ${JSON.stringify(text)} of ${name}`);
  return { type: 'tag', packageName: name, tag: text };
}

function parsePath(text: string, from: string): PackageSpec {
  const names = text.startsWith('/') || text.startsWith('~') ? undefined : [...from.split('/')];
  for (const name of text.split('/')) {
    if (name === '' || name === '.') continue;
    if (name !== '..') names?.push(name);
    else if (names?.filter(Boolean).length === 0) return refusePath(text);
    else names?.pop();
  }
  const path = names?.filter(Boolean).join('/');
  if (path === undefined || path === '' || path.includes('\0')) return refusePath(text);
  return /\.(tgz|tar\.gz|tar)$/.test(path) ? { type: 'archive', path } : { type: 'folder', path };
}

function refusePath(text: string): never {
  throw new NpmError(
    'EUNSUPPORTED',
    `Cannot install ${JSON.stringify(text)}: it is not below the project. Put it there`,
  );
}
