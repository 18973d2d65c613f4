import { describeFence, type FenceElement, type FenceOptions } from './describe-fence.ts';

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
  const hChildren = file ? [childOf(file)] : [];
  node.type = 'coppiceEmbed';
  node.data = { hName: name, hProperties: { ...attributes }, hChildren };
  for (const key of ['lang', 'meta', 'value'] as const) delete node[key];
  node.children = [];
}

/** Docusaurus, as many sites of MDX, has a component of its own in the place of `pre`, which loses the attributes: the file is inside. */
function childOf({ path, text }: NonNullable<FenceElement['file']>): object {
  // The first line's end belongs to the tag.
  const value = text.startsWith('\n') ? `\n${text}` : text;
  const child = { type: 'element', tagName: 'span', properties: { 'data-file': path } };
  return {
    type: 'element',
    tagName: 'pre',
    properties: {},
    children: [{ ...child, children: [{ type: 'text', value }] }],
  };
}
