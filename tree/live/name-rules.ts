import type { ByteString } from '../content/byte-string.ts';
import { treeLimits } from '../limits.ts';
import { errno } from './errno.ts';

const forbidden = /[/\0]|[^\0-\xff]/;

/** Whether `name` can name a directory entry: 0, `-EINVAL` or `-ENAMETOOLONG`. */
export function checkName(name: ByteString): number {
  if (name.length > treeLimits.nameBytes) return -errno.ENAMETOOLONG;
  return name === '' || name === '.' || name === '..' || forbidden.test(name) ? -errno.EINVAL : 0;
}
