import type { KeepPolicy } from '../../protocol/sandbox/history.ts';

/** What a policy keeps, in a few words. */
export function policyText({ last, hourly, daily }: KeepPolicy): string {
  return `the last ${last}, then one an hour for ${hourly} hours and one a day for ${daily} days`;
}
