import { SandboxError } from '../../protocol/errors.ts';

/** The version of these messages. A frame tells its own, and a page refuses another. */
export const embedVersion = 1;

/**
 * Between the windows, until they are connected. The page sends `hello` and `connect` to the site's origin only, and believes the frame's
 * window at that origin; the frame believes the window that it is in, at the origin that it has seen first.
 * `connect` comes with two ports: the first one speaks the wire protocol (protocol/SPEC.md), the second one `ViewMessage`.
 */
export type WindowMessage =
  | { readonly type: 'coppice-embed:ready'; readonly version: number }
  | { readonly type: 'coppice-embed:hello' }
  | { readonly type: 'coppice-embed:connect'; readonly version: number };

/** How a frame looks. */
export interface EmbedLook {
  readonly theme: 'auto' | 'light' | 'dark';
  /** Nothing can be typed into its terminals. */
  readonly readonly: boolean;
  /** Its custom properties, such as `--cp-ground`: colours and fonts. */
  readonly properties: Readonly<Record<string, string>>;
}

/** What a page says through the second port: what the frame shows. */
export type ViewMessage =
  | { readonly type: 'look'; readonly look: EmbedLook }
  /** A terminal for each of these sandboxes of the frame, side by side. */
  | { readonly type: 'show'; readonly sandboxes: readonly { readonly id: string; readonly title: string }[] }
  /** Enters a line into the terminal of a sandbox, as its user could. */
  | { readonly type: 'enter'; readonly sandbox: string; readonly line: string }
  /** Plays a recording that the page has read, from a second on: its file, or those of a folder of segments. */
  | { readonly type: 'replay'; readonly files: readonly File[]; readonly at: number }
  | { readonly type: 'focus' };

/** What a frame says through it. */
export type ViewEvent =
  /** What is shown takes this height. */
  | { readonly type: 'height'; readonly px: number }
  | { readonly type: 'problem'; readonly message: string }
  /** The reader goes on from the recording: in this new sandbox of the frame, which it shows. */
  | { readonly type: 'continued'; readonly sandbox: string };

/** What came, if it is an object with a type: everything that comes from another window is data. */
export function typeOf(data: unknown): string | undefined {
  if (typeof data !== 'object' || data === null || !('type' in data)) return undefined;
  return typeof data.type === 'string' ? data.type : undefined;
}

/** @throws version-mismatch */
export function assertVersion(data: unknown): void {
  const { version } = data as { readonly version?: unknown };
  if (version === embedVersion) return;
  const which = typeof version === 'number' ? `version ${version}` : 'another version';
  throw new SandboxError(
    'version-mismatch',
    `The frame speaks ${which} of embeds, and this page version ${embedVersion}`,
  );
}
