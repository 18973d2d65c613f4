import { downloadPolicy } from '../../protocol/content-security-policy.ts';

/**
 * The headers of bytes from a sandbox: saved and never shown, with no rights if they are shown all
 * the same. `name` may be anything (RFC 6266, RFC 8187).
 */
export function downloadHeaders(
  name: string,
  contentType = 'application/octet-stream',
): Record<string, string> {
  const encoded = encodeURIComponent(name.toWellFormed()).replace(/['()*]/g, percent);
  return {
    'content-type': contentType,
    'content-disposition': `attachment; filename*=UTF-8''${encoded}`,
    'content-security-policy': downloadPolicy,
    'cross-origin-resource-policy': 'same-origin',
  };
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
