/** An element that stands in the place of a block of code of Markdown. */
export interface FenceElement {
  readonly name: 'coppice-sandbox' | 'coppice-replay';
  readonly attributes: Readonly<Record<string, string>>;
  /** The block of code as a file of the sandbox: its child `pre`, which is also what readers without JavaScript see. */
  readonly file: { readonly path: string; readonly text: string; readonly language: string } | undefined;
}

export interface FenceOptions {
  /** The word in the meta of a block that makes it run; `coppice` by default. */
  readonly word?: string;
  /** Attributes of every element, such as `{ site: 'https://coppice.example/' }`; those of a block come before. */
  readonly attributes?: Readonly<Record<string, string>>;
}

/** How a block is run whose meta says nothing of it: by its language, the file's name and the command. */
const usual: Readonly<Record<string, readonly [file: string, command: string]>> = {
  sh: ['main.sh', 'sh main.sh'],
  shell: ['main.sh', 'sh main.sh'],
  bash: ['main.sh', 'bash main.sh'],
  js: ['main.js', 'js main.js'],
  javascript: ['main.js', 'js main.js'],
  sql: ['main.sql', 'sqlite3 :memory: < main.sql'],
  c: ['main.c', 'cc -o main main.c && ./main'],
  python: ['main.py', 'python3 main.py'],
  py: ['main.py', 'python3 main.py'],
};

/** What a meta may set. Others are left to other plug-ins. */
const known = new Set([
  ...[
    'runtime',
    'image',
    'snapshot',
    'run',
    'autorun',
    'readonly',
    'theme',
    'height',
    'loading',
    'label',
    'site',
  ],
  ...['recording', 'poster', 'at'],
]);

/**
 * What becomes of a block of code with this language and meta: ```` ```c coppice runtime=v86 run="cc main.c" ````; `undefined` of one without the word.
 * With `recording=URL` it is a replay, and its text is not used.
 */
export function describeFence(
  { language, meta, text }: { readonly language: string; readonly meta: string; readonly text: string },
  { word = 'coppice', attributes: given = {} }: FenceOptions = {},
): FenceElement | undefined {
  const words = parseMeta(meta);
  if (words.get(word) !== '') return undefined;
  const said = [...words].filter(([name]) => known.has(name));
  const attributes = { ...given, ...Object.fromEntries(said) };
  if (words.has('recording')) return { name: 'coppice-replay', attributes, file: undefined };
  const [path, run] = usual[language] ?? [`main.${language || 'txt'}`, undefined];
  const file = words.get('file') ?? path;
  const command = file === path ? run : run?.replaceAll(path, `'${file.replaceAll("'", `'\\''`)}'`);
  return {
    name: 'coppice-sandbox',
    attributes: { ...(command === undefined ? {} : { run: command }), ...attributes },
    file: { path: file, text: text.endsWith('\n') ? text : `${text}\n`, language },
  };
}

/** `a b=c d="e f"` as names and values; a name alone has the empty one. The last of a name counts. */
function parseMeta(meta: string): ReadonlyMap<string, string> {
  const words = meta.matchAll(
    /(?<name>[\w-]+)(?:=(?:"(?<double>[^"]*)"|'(?<single>[^']*)'|(?<plain>\S*)))?/g,
  );
  return new Map(
    [...words].map(({ groups }) => {
      const { name = '', double, single, plain }: Partial<Record<string, string>> = groups ?? {};
      return [name, double ?? single ?? plain ?? ''];
    }),
  );
}
