import { readFile } from 'node:fs/promises';
import type { Finding } from './try-jail.ts';

/**
 * Whether this host keeps what a jail's programs had in memory when they crash from whatever handles cores here
 * (core(5)): jails have a limit of 1 byte, at which the kernel starts no handler (guest/launch/confine.h).
 */
export async function probeCores(proc = '/proc'): Promise<Finding & { readonly how: string }> {
  const pattern = (await readFile(`${proc}/sys/kernel/core_pattern`, 'utf8')).trim();
  const [kind] = pattern;
  if (kind !== '|' && kind !== '@')
    return { type: 'works', how: 'they are files here, of which jails write none' };
  if (kind === '@') {
    const reason = `kernel.core_pattern is the socket ${pattern}, to which the kernel goes whatever the limit: set another`;
    return { type: 'missing', reason, how: '' };
  }
  const handler = `kernel.core_pattern is a pipe to ${pattern.slice(1).trim().split(' ')[0]}`;
  if (await canLimit(proc)) return { type: 'works', how: `${handler}, which is not started for jails` };
  const reason = `${handler}, and the bridge was started with a limit of 0, which does not stop it: use LimitCORE=1`;
  return { type: 'missing', reason, how: '' };
}

/** A limit of 0 can only be raised to 1 with CAP_SYS_RESOURCE, the 24th (capabilities(7)). */
async function canLimit(proc: string): Promise<boolean> {
  const [limits, status] = await Promise.all(
    ['limits', 'status'].map((name) => readFile(`${proc}/self/${name}`, 'utf8')),
  );
  const [, hardest] = /^Max core file size +\S+ +(\S+)/m.exec(limits ?? '') ?? [];
  const [, capabilities = '0'] = /^CapEff:\t([0-9a-f]+)/m.exec(status ?? '') ?? [];
  return hardest !== '0' || ((BigInt(`0x${capabilities}`) >> 24n) & 1n) === 1n;
}
