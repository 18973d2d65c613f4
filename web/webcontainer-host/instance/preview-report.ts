import { hostLimits } from '../limits.ts';

const types = ['PREVIEW_UNCAUGHT_EXCEPTION', 'PREVIEW_UNHANDLED_REJECTION', 'PREVIEW_CONSOLE_ERROR'] as const;

/** An error that a previewed page has reported, as the package's `PreviewMessage` has it. All texts are data (H-9). */
export interface PreviewReportData {
  readonly type: (typeof types)[number];
  readonly pathname: string;
  readonly search: string;
  readonly hash: string;
  readonly message?: string;
  readonly args?: readonly string[];
  readonly stack: string | undefined;
}

/** Reads what a previewed page says; nothing where that is no report. Texts are cut. */
export function parsePreviewReport(data: unknown): PreviewReportData | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const { type, message, args, stack, pathname, search, hash } = data as Record<string, unknown>;
  const known = types.find((name) => name === type);
  if (known === undefined) return undefined;
  return {
    type: known,
    ...{ pathname: text(pathname), search: text(search), hash: text(hash) },
    ...(Array.isArray(args) ? { args: args.slice(0, 16).map(text) } : { message: text(message) }),
    stack: typeof stack === 'string' ? text(stack) : undefined,
  };
}

function text(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, hostLimits.reportCharacters) : '';
}
