import { describeFence, type FenceOptions } from './describe-fence.ts';

/** A node of mdast, as far as it is used here: what remark hands over has more. */
interface MarkdownNode {
  type: string;
  lang?: string | null;
  meta?: string | null;
  value?: string;
  children?: MarkdownNode[];
  data?: object;
}

/**
 * A plug-in of remark, for Docusaurus, Astro, Starlight, Next and MDX: a block of code with the word `coppice` in its meta becomes
 * `<coppice-sandbox>`, one that also has `recording=URL` becomes `<coppice-replay>`. It has to come before what colours code.
 */
export function remarkCoppice(options: FenceOptions = {}): (tree: MarkdownNode) => void {
  return (tree) => visit(tree, options);
}

function visit(node: MarkdownNode, options: FenceOptions): void {
  for (const child of node.children ?? []) {
    if (child.type === 'code') replace(child, options);
    else visit(child, options);
  }
}

/** Written as data for HTML, which `remark-rehype` and MDX both take: MDX has no nodes of HTML. */
function replace(node: MarkdownNode, options: FenceOptions): void {
  const element = describeFence(
    { language: node.lang ?? '', meta: node.meta ?? '', text: node.value ?? '' },
    options,
  );
  if (!element) return;
  const { name, attributes, file } = element;
  const hChildren = file
    ? [
        {
          type: 'element',
          tagName: 'pre',
          properties: { 'data-file': file.path },
          children: [{ type: 'text', value: `\n${file.text}` }],
        },
      ]
    : [];
  node.type = 'coppiceEmbed';
  node.data = { hName: name, hProperties: { ...attributes }, hChildren };
  for (const key of ['lang', 'meta', 'value'] as const) delete node[key];
  node.children = [];
}
