import { describeFence, type FenceOptions } from './describe-fence.ts';

/** markdown-it, as far as it is used here. */
interface MarkdownIt {
  readonly renderer: { readonly rules: { fence?: FenceRule | undefined } };
}

interface Token {
  readonly info: string;
  readonly content: string;
}

// biome-ignore lint/suspicious/noExplicitAny: what a rule is handed belongs to markdown-it
type FenceRule = (tokens: any[], index: number, options: any, env: any, self: any) => string;

/**
 * A plug-in of markdown-it, for VitePress and Eleventy: a fence with the word `coppice` behind its language becomes `<coppice-sandbox>`,
 * one that also has `recording=URL` becomes `<coppice-replay>`. It has to come after what colours code.
 */
export function markdownItCoppice(markdown: MarkdownIt, options: FenceOptions = {}): void {
  const { rules } = markdown.renderer;
  const before = rules.fence;
  rules.fence = (tokens, index, settings, env, self) => {
    const { info, content } = tokens[index] as Token;
    const [, language = '', meta = ''] = /^\s*(\S*)\s*(.*)$/s.exec(info) ?? [];
    const element = describeFence({ language, meta, text: content }, options);
    if (!element)
      return before ? before(tokens, index, settings, env, self) : self.renderToken(tokens, index, settings);
    const { name, attributes, file } = element;
    const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeHtml(value)}"`);
    // `v-pre`: VitePress makes a template of Vue of it, in which braces would be expressions.
    const child = file
      ? `<pre v-pre data-file="${escapeHtml(file.path)}">\n${escapeHtml(file.text)}</pre>`
      : '';
    return `<${name}${written.join('')}>${child}</${name}>\n`;
  };
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
