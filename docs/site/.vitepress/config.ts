// The documentation as a static site: the Markdown of this repository, as it is, with a search. `npm run docs` builds it.
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type MarkdownIt from 'markdown-it';
import { type DefaultTheme, defineConfig } from 'vitepress';
import { packageVersion } from '../../../protocol/package-version.ts';
import { markdownItCoppice } from '../../../web/embed/markdown/markdown-it.ts';

/** The folder that `scripts/build-docs.ts` has put the documents into. */
const root = join(import.meta.dirname, '..');
const contents = 'docs/README.md';
/** A page can be served from any folder of any server. */
const base = process.env.COPPICE_DOCS_BASE ?? '/';
/** Runs what is on pages, without an image: `scripts/build-docs.ts` puts it there. */
const site = `${base}site/`;

export default defineConfig({
  title: 'Coppice',
  description: 'A computer you can rewind and branch',
  lang: 'en',
  // Addresses are paths of the repository, so that links lead where they do there.
  rewrites: { 'README.md': 'index.md' },
  base,
  head: [['script', { type: 'module', src: `${site}embed/${packageVersion}/coppice-embed.js` }]],
  vue: { template: { compilerOptions: { isCustomElement: (tag) => tag.startsWith('coppice-') } } },
  cleanUrls: false,
  markdown: { html: false, config: writeForReaders },
  themeConfig: {
    search: { provider: 'local' },
    sidebar: readSidebar(),
    outline: [2, 3],
    docFooter: { prev: false, next: false },
  },
});

/** The sections of the contents page: each heading and the links of its list. */
function readSidebar(): DefaultTheme.SidebarItem[] {
  const sections: (DefaultTheme.SidebarItem & { items: DefaultTheme.SidebarItem[] })[] = [];
  for (const line of readFileSync(join(root, contents), 'utf8').split('\n')) {
    const heading = /^## (.+)$/.exec(line)?.[1];
    if (heading !== undefined) sections.push({ text: heading, collapsed: sections.length > 2, items: [] });
    for (const [, text, link] of line.matchAll(/\[([^\]]+)\]\(([^):]+\.md)\)/g)) {
      if (text && link) sections.at(-1)?.items.push({ text, link: pageOf(link) });
    }
  }
  return sections;
}

/** Where a link of the contents page leads to on the site. */
function pageOf(link: string): string {
  const path = relative(root, join(root, 'docs', link));
  return `/${path}`;
}

/**
 * Braces are text and no template of Vue. What a document links to in the sources is not on the site: its name is shown
 * without a link.
 */
function writeForReaders(md: MarkdownIt): void {
  markdownItCoppice(md);
  md.core.ruler.push('replays', (state) => showReplays(state, md));
  md.core.ruler.push('text-without-templates', ({ tokens }) => {
    for (const [at, token] of tokens.entries())
      if (tokens[at + 1]?.type === 'inline') token.attrSet('v-pre', '');
  });
  md.core.ruler.push('names-of-sources', ({ tokens }) => {
    for (const { children } of tokens) {
      let isSource = false;
      for (const token of children ?? []) {
        if (token.type === 'link_open') isSource = leadsToSource(token.attrGet('href') ?? '');
        if (!isSource || !token.type.startsWith('link_')) continue;
        token.tag = 'span';
        token.attrs = null;
      }
    }
  });
}

/** A paragraph that is a link to the recording of a demo, as its picture or its name, is the recording itself. */
function showReplays({ tokens, Token }: MarkdownIt.StateCore, { utils }: MarkdownIt): void {
  for (const [at, { type, children }] of tokens.entries()) {
    const [open, shown] = children ?? [];
    const name = /\bexamples\/demos\/([\w-]+\.cast\.gz)$/.exec(open?.attrGet('href') ?? '')?.[1];
    if (type !== 'inline' || name === undefined || children?.at(-1)?.type !== 'link_close') continue;
    const element = new Token('html_block', '', 0);
    const label = utils.escapeHtml(shown?.content ?? name);
    element.content = `<coppice-replay recording="${site}demos/${name}" poster="1000" label="${label}"></coppice-replay>`;
    tokens.splice(at - 1, 3, element);
  }
}

/** Whether a link leads to a file or folder of the repository that is no page. */
function leadsToSource(target: string): boolean {
  const isElsewhere = /^(?:[a-z]+:|#)/.test(target);
  return !isElsewhere && !/\.(?:md|png|svg)(?:#|$)/.test(target);
}
