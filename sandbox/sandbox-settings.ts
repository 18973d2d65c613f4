import { SandboxError } from '../protocol/errors.ts';
import { limits } from '../protocol/limits.ts';
import { type CreateOptions, ownLabelPrefix } from '../protocol/sandbox/backend.ts';
import type { ExecRequest } from '../protocol/sandbox/processes.ts';
import type { GroupLimit, SandboxInfo } from '../protocol/sandbox/sandbox-info.ts';

/** A sandbox as its host keeps it: with what nobody is told who looks at it. */
export interface SandboxRecord extends SandboxInfo {
  readonly envs?: Readonly<Record<string, string>> | undefined;
}

type Settings = Pick<SandboxRecord, 'envs' | 'cwd' | 'ignore' | 'metadata' | 'expiresAtMs'>;

/**
 * What a new sandbox is told: what is asked for, and otherwise what its parent has.
 * @throws invalid-argument, limit-exceeded; unsupported for an end of life where nobody would bring it about
 */
export function chooseSettings(
  asked: Pick<CreateOptions, 'envs' | 'cwd' | 'ignore' | 'metadata' | 'timeoutMs'>,
  { parent, canExpire }: { readonly parent?: SandboxRecord | undefined; readonly canExpire: boolean },
): Settings {
  const { timeoutMs } = asked;
  const envs = asked.envs === undefined ? parent?.envs : checkedEnvs(asked.envs);
  const cwd = asked.cwd === undefined ? parent?.cwd : checkedCwd(asked.cwd);
  const ignore = asked.ignore === undefined ? parent?.ignore : checkedIgnore(asked.ignore);
  const metadata = asked.metadata === undefined ? inheritedLabels(parent) : checkedMetadata(asked.metadata);
  const expiresAtMs = timeoutMs === undefined ? parent?.expiresAtMs : expiryAfter(timeoutMs, { canExpire });
  return {
    ...(envs === undefined ? {} : { envs }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(ignore === undefined || ignore.length === 0 ? {} : { ignore }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
  };
}

/** Those of its parent, but for labels that say what only that one is. */
function inheritedLabels(parent: SandboxRecord | undefined): SandboxRecord['metadata'] {
  if (parent?.metadata === undefined) return undefined;
  const shared = Object.entries(parent.metadata).filter(([name]) => !name.startsWith(ownLabelPrefix));
  return Object.fromEntries(shared);
}

/** When a sandbox ends that lives for `timeoutMs` from now on. @throws invalid-argument, unsupported */
export function expiryAfter(timeoutMs: number, { canExpire }: { readonly canExpire: boolean }): number {
  const { min, max } = limits.sandboxTimeoutMs;
  if (!canExpire) {
    const message =
      'Cannot give the sandbox an end: nobody would be here to bring it about when its page is closed';
    throw new SandboxError('unsupported', message, { details: { feature: 'timeoutMs' } });
  }
  if (!Number.isInteger(timeoutMs) || timeoutMs < min || timeoutMs > max) {
    throw refuse(`timeoutMs is ${timeoutMs}, not an integer from ${min} to ${max}`);
  }
  return Date.now() + timeoutMs;
}

/** What a process is told, after what its sandbox says to all of them. */
export function withSettings(
  request: ExecRequest,
  { envs, cwd }: Pick<SandboxRecord, 'envs' | 'cwd'>,
): ExecRequest {
  return {
    ...request,
    ...(request.cwd === undefined && cwd !== undefined ? { cwd } : {}),
    ...(envs === undefined ? {} : { envs: { ...envs, ...request.envs } }),
  };
}

/**
 * What whoever looks at a sandbox is told of it: not its environment, whose values may be secrets, and no limit that
 * may be left out and that nothing holds it to.
 */
export function publicInfo({ envs, cpuShares, pids, ...info }: SandboxRecord): SandboxInfo {
  const isHeld = (name: GroupLimit) => !info.notHeld?.includes(name);
  return {
    ...info,
    ...(cpuShares !== undefined && isHeld('cpuShares') ? { cpuShares } : {}),
    ...(pids !== undefined && isHeld('pids') ? { pids } : {}),
  };
}

function checkedEnvs(envs: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  let bytes = 0;
  for (const [name, value] of Object.entries(envs)) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
      throw refuse(`"${name.slice(0, 64)}" is no name of a variable`);
    if (typeof value !== 'string' || value.includes('\0'))
      throw refuse(`envs.${name} is not text without NUL`);
    bytes += new TextEncoder().encode(`${name}=${value}`).length + 1;
  }
  if (bytes <= limits.sandboxEnvBytes) return envs;
  const message = `Cannot make a sandbox with an environment of ${bytes} bytes: ${limits.sandboxEnvBytes} are the most`;
  throw new SandboxError('limit-exceeded', message, { details: { limit: limits.sandboxEnvBytes } });
}

function checkedCwd(cwd: string): string {
  const isPlain =
    cwd.startsWith('/') && cwd.length <= 4_096 && !cwd.includes('\0') && !cwd.split('/').includes('..');
  if (isPlain) return cwd;
  throw refuse('cwd is not an absolute path without ".."');
}

/** Paths as the kernel would say them: a slash at the beginning, none at the end. */
function checkedIgnore(paths: readonly string[]): readonly string[] {
  const { ignoredPaths, ignoredPathsCharacters } = limits;
  if (paths.length > ignoredPaths)
    throw refuse(`there are ${paths.length} directories to ignore, ${ignoredPaths} are the most`);
  if (paths.join('').length > ignoredPathsCharacters)
    throw refuse(`the directories to ignore have more than ${ignoredPathsCharacters} characters`);
  for (const path of paths) {
    const names = path.split('/').slice(1);
    const isPlain = names.length > 0 && names.every((name) => !['', '.', '..'].includes(name));
    if (!path.startsWith('/') || !isPlain || path.includes('\0'))
      throw refuse(
        `"${path.slice(0, 64)}" is no absolute path of a directory to ignore, such as /home/user/.cache`,
      );
  }
  return paths;
}

function checkedMetadata(metadata: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { metadataEntries, metadataKeyCharacters, metadataValueCharacters } = limits;
  const entries = Object.entries(metadata);
  if (entries.length > metadataEntries)
    throw refuse(`there are ${entries.length} labels, ${metadataEntries} are the most`);
  for (const [key, value] of entries) {
    if (!/^[A-Za-z0-9_.-]+$/.test(key) || key.length > metadataKeyCharacters) {
      throw refuse(
        `"${key.slice(0, 64)}" is no name of a label: 1 to ${metadataKeyCharacters} letters, digits, ".", "_" and "-"`,
      );
    }
    if (typeof value === 'string' && /^\P{Cc}*$/u.test(value) && value.length <= metadataValueCharacters)
      continue;
    throw refuse(`metadata.${key} is not one line of at most ${metadataValueCharacters} characters`);
  }
  return metadata;
}

function refuse(why: string): SandboxError {
  return new SandboxError('invalid-argument', `Cannot make the sandbox so: ${why}`);
}
