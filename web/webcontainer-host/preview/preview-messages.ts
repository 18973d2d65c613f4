/** A request of a previewed page, with a port on which its answer comes. */
export interface PreviewRequest {
  readonly type: 'request';
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array | undefined;
}

/** What a previewed page says of itself; `message` is data. */
export interface PreviewReport {
  readonly type: 'report';
  readonly message: unknown;
}

export interface AnswerHead {
  readonly type: 'head';
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly (readonly [string, string])[];
}

/** What comes on the port of a request: the head, then a piece for each `pull`. */
export type PreviewAnswer =
  | AnswerHead
  | { readonly type: 'piece'; readonly bytes: Uint8Array }
  | { readonly type: 'end' }
  | { readonly type: 'failure'; readonly message: string };

/** What the preview's page says to its host's window, with a port for requests. */
export interface PreviewHello {
  readonly type: 'coppice-preview';
  readonly key: string;
}

/**
 * What the host's page says to that of the preview: at the beginning, with the origin of the only pages that may show it, once
 * it answers it no more, and at the end of the instance.
 */
export type HostMessage =
  | { readonly type: 'ready'; readonly embedder: string }
  | { readonly type: 'closed' | 'ended' };

/**
 * The path of the preview's page and the name of its worker, at the top of its origin. The site has neither: at its own
 * origin, a worker that takes all requests would run whatever it is answered with all that is stored there.
 */
export const previewPath = '/coppice-preview/';
export const previewWorker = 'coppice-preview-sw.js';
/** The type of messages of the script that is put into previewed pages. */
export const reportType = 'coppice-preview-report';
