import { asRecord } from '../is-record.ts';
import { NpmError } from './npm-error.ts';
import type { ProjectManifest } from './project-manifest.ts';

/**
 * Functions for bash that run scripts of a project as npm does, each after what it prints of it, and between its `pre` and `post`.
 * A script that runs another one by `npm run` gets these functions, too.
 */
const functions = `
coppice_npm_one() {
  local event=$1 body
  shift
  body=$(coppice_npm_body "$event")
  (($#)) && body+=$(printf ' %q' "$@")
  printf '\\n> %s\\n> %s\\n\\n' "\${coppice_npm_package:+$coppice_npm_package }$event" "$body"
  (export npm_lifecycle_event=$event npm_lifecycle_script=$body; eval "$body")
}
coppice_npm_run() {
  local event=$1
  if ! coppice_npm_body "$event" >/dev/null; then
    printf 'npm error Missing script: "%s"\\n' "$event" >&2
    return 1
  fi
  shift
  [[ $1 = -- ]] && shift
  if coppice_npm_body "pre$event" >/dev/null; then coppice_npm_one "pre$event" || return; fi
  coppice_npm_one "$event" "$@" || return
  if coppice_npm_body "post$event" >/dev/null; then coppice_npm_one "post$event"; fi
}
npm() {
  local command=$1
  shift
  while [[ $1 = -s || $1 = --silent ]]; do shift; done
  case $command in
    run | run-script) coppice_npm_run "$@" ;;
    start | test | stop | restart) coppice_npm_run "$command" "$@" ;;
    *) echo "npm error code EUNSUPPORTED
npm error A script of this host runs scripts only: spawn npm $command from the application" >&2; return 1 ;;
  esac
}
npx() {
  while [[ $1 = -* ]]; do shift; done
  "$@"
}
`;

/** The command that runs a script of `package.json`, with `args` after it. @throws NpmError ENOSCRIPT */
export function scriptCommand(
  { members }: ProjectManifest,
  { event, args }: { readonly event: string; readonly args: readonly string[] },
): readonly string[] {
  const scripts = scriptsOf(members);
  if (!scripts.has(event)) {
    const known = [...scripts.keys()].join(', ') || 'none';
    throw new NpmError('ENOSCRIPT', `Missing script: ${JSON.stringify(event)}. There are: ${known}`);
  }
  const cases = [...scripts]
    .map(([name, body]) => `    ${quote(name)}) printf %s ${quote(body)} ;;`)
    .join('\n');
  const { name, version } = members;
  const id = typeof name === 'string' ? `${name}${typeof version === 'string' ? `@${version}` : ''}` : '';
  const text = `coppice_npm_package=${quote(id)}
coppice_npm_body() {
  case $1 in
${cases}
    *) return 1 ;;
  esac
}${functions}coppice_npm_run "$@"`;
  return ['/bin/bash', '-c', text, 'npm', event, ...args];
}

/** What \`npm run\` prints without a name. */
export function listScripts({ members }: ProjectManifest): string {
  const scripts = [...scriptsOf(members)].map(([name, body]) => `  ${name}\n    ${body}\n`);
  return scripts.length === 0 ? '' : `Scripts available via \`npm run\`:\n${scripts.join('')}`;
}

function scriptsOf(members: Readonly<Record<string, unknown>>): Map<string, string> {
  const entries = Object.entries(asRecord(members.scripts));
  const scripts = new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
  return scripts;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
