import { markdownItCoppice } from 'coppice/embed/markdown-it';

const site = process.env.COPPICE_SITE ?? 'http://localhost:8086/';

export default {
  title: 'VitePress with embeds',
  outDir: './dist',
  head: [['script', { type: 'module', src: `${site}embed/0.1.0/coppice-embed.js` }]],
  markdown: { config: (markdown) => markdownItCoppice(markdown) },
  vue: { template: { compilerOptions: { isCustomElement: (tag) => tag.startsWith('coppice-') } } },
};
