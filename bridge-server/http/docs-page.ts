import type { ApiDocument } from './openapi-document.ts';

/** The whole look of the page; its policy allows this one style and no script at all. */
export const docsStyle: string = `
:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{max-width:60rem;margin:2rem auto;padding:0 1rem}
code,pre{font:0.875rem/1.5 ui-monospace,monospace}
pre{overflow:auto;padding:.75rem;border:1px solid GrayText;border-radius:.375rem}
details{border-bottom:1px solid GrayText;padding:.5rem 0}
summary{cursor:pointer}
.method{display:inline-block;min-width:4.5rem;font-weight:600}
table{border-collapse:collapse}
th,td{text-align:left;padding:.125rem 1rem .125rem 0;vertical-align:top}
`;

interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly unknown[];
  readonly requestBody?: unknown;
  readonly responses?: unknown;
}

/** A page that shows the document as it is, for people: no script, and nothing from elsewhere. */
export function docsPage(document: ApiDocument): string {
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Operation>).map(([method, operation]) => ({
      path,
      method,
      operation,
    })),
  );
  const tags = [...new Set(operations.flatMap(({ operation }) => operation.tags ?? []))];
  const sections = tags.map((tag) => {
    const rows = operations.filter(({ operation }) => operation.tags?.includes(tag)).map(describe);
    return `<section><h2>${escapeHtml(tag)}</h2>${rows.join('\n')}</section>`;
  });
  const { title, description = '' } = document.info;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title><style>${docsStyle}</style></head>
<body><main><h1>${escapeHtml(title)}</h1><p>${escapeHtml(description)}</p>
<p>As data: <a href="openapi.json">openapi.json</a></p>
${sections.join('\n')}
<section><h2>Shapes</h2>${shapes(document)}</section>
</main></body></html>`;
}

function describe(entry: { path: string; method: string; operation: Operation }): string {
  const { path, method, operation } = entry;
  const { summary = '', operationId = '', parameters = [], requestBody, responses } = operation;
  return `<details id="${escapeHtml(operationId)}"><summary><code><span class="method">${escapeHtml(
    method.toUpperCase(),
  )}</span> ${escapeHtml(path)}</code> ${escapeHtml(summary)}</summary>
${block('Parameters', parameters.length === 0 ? undefined : parameters)}
${block('Body', requestBody)}
${block('Answers', responses)}</details>`;
}

function shapes({ components }: ApiDocument): string {
  return Object.entries(components?.schemas ?? {})
    .map(
      ([name, schema]) =>
        `<details id="${escapeHtml(name)}"><summary><code>${escapeHtml(name)}</code></summary>${json(schema)}</details>`,
    )
    .join('\n');
}

function block(title: string, value: unknown): string {
  return value === undefined ? '' : `<h3>${title}</h3>${json(value)}`;
}

function json(value: unknown): string {
  return `<pre>${escapeHtml(JSON.stringify(value, null, 2))}</pre>`;
}

/** Text as HTML text or as a quoted attribute. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
