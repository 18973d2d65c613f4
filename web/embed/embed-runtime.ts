/** What runs sandboxes in a frame: a shell, or a whole machine. */
export type EmbedRuntime = 'shell' | 'v86';

/** Whether the sandboxes of all embeds of a page run in one worker, by runtime. */
export const sharesWorker: Readonly<Record<EmbedRuntime, boolean>> = { shell: true, v86: false };

/** The runtime of this name; a shell by default. */
export function embedRuntime(name: string | null): EmbedRuntime {
  return isEmbedRuntime(name) ? name : 'shell';
}

export function isEmbedRuntime(name: string | null): name is EmbedRuntime {
  return name !== null && Object.hasOwn(sharesWorker, name);
}
