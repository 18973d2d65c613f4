import { expect, test } from 'vitest';
import { embeddingSite } from './embedding-site.ts';

test.each([
  { by: [], site: undefined },
  { by: ['https://coppice.example:8443'], site: undefined },
  // Of the same site perhaps: the list of public suffixes would tell.
  { by: ['https://www.coppice.example'], site: 'www.coppice.example' },
  { by: ['https://docs.example'], site: 'docs.example' },
  { by: ['https://coppice.example', 'https://docs.example'], site: 'docs.example' },
  { by: ['null'], site: 'another site' },
])('B-10 a page in frames of $by is embedded by $site', ({ by, site }) => {
  const ancestorOrigins = by as unknown as DOMStringList;
  expect(embeddingSite({ ancestorOrigins, hostname: 'coppice.example' })).toBe(site);
});
