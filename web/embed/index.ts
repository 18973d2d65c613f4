// `coppice/embed`: elements for pages of other origins, and what drives a frame of `/embed/`. It is small; the rest is loaded when it is used.
import type { ConnectEmbedOptions, EmbedConnection } from './client/connect-embed.ts';
import { CoppiceReplay } from './element/replay-element.ts';
import { CoppiceSandbox } from './element/sandbox-element.ts';

export type { ConnectEmbedOptions, EmbedConnection } from './client/connect-embed.ts';
export type { EmbedSession } from './client/embed-session.ts';
export type { EmbedView } from './client/embed-view.ts';
export { CoppiceReplay } from './element/replay-element.ts';
export { CoppiceSandbox } from './element/sandbox-element.ts';
export { configureEmbeds } from './element/site.ts';

/**
 * Connects to a frame that shows `/embed/` of a site, or to that of an element, which is started: `Sandbox.create({ backend: connection.backend })`.
 * @throws timeout where nothing answers from `origin`, version-mismatch, aborted
 */
export async function connectEmbed(
  target: HTMLIFrameElement | CoppiceSandbox,
  options?: ConnectEmbedOptions,
): Promise<EmbedConnection> {
  if (target instanceof CoppiceSandbox) return (await target.start()).connection;
  const client = await import('./client/connect-embed.ts');
  return client.connectEmbed(target, options);
}

const elements = { 'coppice-sandbox': CoppiceSandbox, 'coppice-replay': CoppiceReplay };
// A page may load it twice.
for (const [name, element] of Object.entries(elements))
  if (customElements.get(name) === undefined) customElements.define(name, element);
