import { remarkCoppice } from 'coppice/embed/remark';

const site = process.env.COPPICE_SITE ?? 'http://localhost:8086/';

export default {
  title: 'Docusaurus with embeds',
  url: 'https://docs.example',
  baseUrl: '/',
  scripts: [{ src: `${site}embed/0.1.0/coppice-embed.js`, type: 'module' }],
  presets: [
    [
      'classic',
      {
        docs: { routeBasePath: '/', beforeDefaultRemarkPlugins: [remarkCoppice] },
        blog: false,
      },
    ],
  ],
};
