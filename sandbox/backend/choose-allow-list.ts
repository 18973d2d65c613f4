import { parseAllowedHost } from '../../protocol/allowed-hosts.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { CreateOptions } from '../../protocol/sandbox/backend.ts';
import type { SandboxInfo } from '../../protocol/sandbox/sandbox-info.ts';

/**
 * The list of what a new sandbox reaches: the one that is asked for, else its parent's; none where it has no network.
 * @throws invalid-argument for one without a network, without entries or with too many, or with one that is none
 */
export function chooseAllowList(
  { allow: asked }: Pick<CreateOptions, 'allow'>,
  {
    network,
    inherited,
  }: { readonly network: SandboxInfo['network']; readonly inherited?: SandboxInfo['allow'] },
): Pick<SandboxInfo, 'allow'> {
  if (asked !== undefined) assertAllowList(asked, network);
  const allow = network === 'full' ? (asked ?? inherited) : undefined;
  return allow === undefined ? {} : { allow };
}

function assertAllowList(allow: readonly string[], network: SandboxInfo['network']): void {
  const { allowedHosts } = limits;
  const refuse = (why: string): SandboxError =>
    new SandboxError('invalid-argument', `Cannot make the sandbox so: ${why}`);
  if (network !== 'full')
    throw refuse('a list of what it reaches (`allow`) is of use with `network: "full"` only');
  if (allow.length === 0)
    throw refuse(
      'its list of what it reaches is empty: leave out the network instead, or name what it needs',
    );
  if (allow.length > allowedHosts)
    throw refuse(`its list of what it reaches has ${allow.length} entries, ${allowedHosts} are the most`);
  for (const host of allow) parseAllowedHost(host);
}
