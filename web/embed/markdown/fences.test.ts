import { expect, test } from 'vitest';
import { markdownItCoppice } from './markdown-it.ts';
import { remarkCoppice } from './remark.ts';

const render = (info: string, content: string): string => {
  const renderer = { rules: { fence: () => 'as before' } };
  markdownItCoppice({ renderer }, { attributes: { site: 'https://coppice.example/' } });
  return (renderer.rules.fence as (...given: unknown[]) => string)([{ info, content }], 0);
};

test('P-6 with markdown-it a fence runs by a word in its meta, and others stay', () => {
  expect(render('sh', 'ls')).toBe('as before');
  expect(render('sh title=coppice', 'ls')).toBe('as before');
  expect(
    render(
      'c coppice runtime=v86 file="a \'b\'.c" unknown=x onclick=alert(1)',
      'if (a < b && "c") {{ d }}\n',
    ),
  ).toBe(
    `<coppice-sandbox run="cc -o main 'a '\\''b'\\''.c' &amp;&amp; ./main" site="https://coppice.example/" runtime="v86"><pre v-pre data-file="a 'b'.c">\nif (a &lt; b &amp;&amp; &quot;c&quot;) {{ d }}\n</pre></coppice-sandbox>\n`,
  );
  expect(render('coppice', 'ls')).toBe('as before');
  expect(render('cast coppice recording=a.cast label="A <session>"', '')).toBe(
    '<coppice-replay site="https://coppice.example/" recording="a.cast" label="A &lt;session&gt;"></coppice-replay>\n',
  );
});

test('P-6 with remark a block becomes an element, deep in the tree too, for HTML and MDX alike', () => {
  const code = { type: 'code', lang: 'sh', meta: 'coppice run="sh main.sh x" readonly', value: 'echo "$1"' };
  const other = { type: 'code', lang: 'sh', meta: null, value: 'ls' };
  const tree = { type: 'root', children: [other, { type: 'listItem', children: [code] }] };
  remarkCoppice()(tree);
  expect(tree).toEqual({
    type: 'root',
    children: [
      { type: 'code', lang: 'sh', meta: null, value: 'ls' },
      {
        type: 'listItem',
        children: [
          {
            type: 'coppiceEmbed',
            children: [],
            data: {
              hName: 'coppice-sandbox',
              hProperties: { run: 'sh main.sh x', readonly: '' },
              hChildren: [
                {
                  type: 'element',
                  tagName: 'pre',
                  properties: {},
                  children: [
                    {
                      type: 'element',
                      tagName: 'span',
                      properties: { 'data-file': 'main.sh' },
                      children: [{ type: 'text', value: 'echo "$1"\n' }],
                    },
                  ],
                },
              ],
            },
          },
        ],
      },
    ],
  });
});
