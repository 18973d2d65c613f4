import { expect, test } from 'vitest';
import { createKeepRule } from './keep-rule.ts';

test('drops what is below a prefix, but not the prefix nor what is kept by name (O-11)', () => {
  const keeps = createKeepRule({
    drop: ['/usr/share/doc/', '/usr/lib/*.a'],
    keep: ['/usr/share/doc/*/copyright'],
  });
  const paths = [
    '/usr/share/doc',
    '/usr/share/doc/bash',
    '/usr/share/doc/bash/copyright',
    '/usr/share/doc/bash/a/copyright',
    '/usr/share/docs',
    '/usr/lib/libc.a',
    '/usr/lib/x/libc.a',
  ];
  expect(paths.filter(keeps)).toEqual([
    '/usr/share/doc',
    '/usr/share/doc/bash/copyright',
    '/usr/share/docs',
    '/usr/lib/x/libc.a',
  ]);
});
