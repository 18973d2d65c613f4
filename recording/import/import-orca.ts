import { quoteWords } from '../../protocol/quote-words.ts';
import { hashObject } from '../../tree/objects/hash-object.ts';
import { type Fields, fieldsIn, fieldsOf, listIn, numberIn, parseJson, textIn, timeIn } from './fields.ts';
import type { ImportSource } from './importer.ts';
import { importLimits } from './limits.ts';
import { readLines } from './read-lines.ts';
import { cutTitle, type DatedEvent, exitCodeOf, Transcript } from './transcript.ts';

/**
 * The events of a run in the Orca trace format, version 0: `events.jsonl` of its folder. Payloads come from `blobs/`, and are used only if they
 * have the hash that names them. A cut last line and unknown types are no errors.
 */
export async function* importOrca(source: ImportSource): AsyncGenerator<DatedEvent> {
  const run = new OrcaRun(source);
  await run.readManifest();
  for await (const { text, number } of readLines(source.pieces)) {
    if (text === undefined) run.transcript.leftOut(number, 'it is too long');
    else if (text.trim() !== '') await run.read(fieldsOf(parseJson(text)), text);
    yield* run.transcript.take();
  }
  yield* run.transcript.finish();
}

class OrcaRun {
  readonly transcript = new Transcript('orca');
  readonly #source: ImportSource;
  #beginMs = 0;
  #model: string | undefined;
  /** Of what was asked of the model, the questions that were told: each request has all that came before. */
  #questions = 0;
  #sideFiles = 0;

  constructor(source: ImportSource) {
    this.#source = source;
  }

  async readManifest(): Promise<void> {
    const { facts, readSideFile } = this.#source;
    const bytes = await readSideFile('manifest.json');
    if (!bytes || bytes.length > importLimits.lineBytes) return;
    const manifest = fieldsOf(parseJson(new TextDecoder().decode(bytes)));
    const begin = timeIn(manifest, 'created_at');
    if (begin !== undefined) this.#beginMs = facts.beginMs = begin;
    const argv = listIn(manifest, 'argv').filter((word) => typeof word === 'string');
    if (argv.length > 0) facts.command = quoteWords(argv);
    const adapter = fieldsIn(manifest, 'adapter');
    const id = textIn(adapter, 'id');
    if (id !== undefined)
      facts.agent = cutTitle(`${id} ${textIn(adapter, 'harness_version') ?? ''}`.trimEnd());
    const cwd = textIn(manifest, 'cwd');
    if (cwd !== undefined) facts.cwd = cwd;
    facts.omitted.push('Files of the run are not imported: they are in its shadow git');
  }

  async read(line: Fields, text: string): Promise<void> {
    this.#setTime(line);
    const { transcript } = this;
    const attrs = fieldsIn(line, 'attrs');
    const id = `orca:${numberIn(line, 'seq') ?? ''}`;
    switch (textIn(line, 'type')) {
      case 'model.request':
        this.#model = textIn(attrs, 'model') ?? this.#model;
        return this.#request(fieldsOf(await this.#payload(line)), text);
      case 'model.response':
        return this.#response(fieldsOf(await this.#payload(line)), text);
      case 'tool.call': {
        const { name: _, ...given } = attrs;
        const payload = await this.#payload(line);
        const tool = textIn(attrs, 'name') ?? 'tool';
        return transcript.call({ id, tool, arguments: payload ?? given });
      }
      case 'mcp.request':
        return transcript.call({ id, tool: textIn(attrs, 'method') ?? 'mcp', arguments: attrs });
      case 'shell.exec': {
        const argv = listIn(attrs, 'argv').filter((word) => typeof word === 'string');
        const cwd = textIn(attrs, 'cwd');
        const shell = { text: quoteWords(argv), argv, ...(cwd === undefined ? {} : { cwd }) };
        return transcript.call({ id, tool: 'shell', arguments: attrs, shell });
      }
      case 'tool.result':
      case 'mcp.response':
      case 'shell.result':
        return this.#result(line, attrs);
      case 'note':
      case 'error':
        return transcript.note(`${textIn(line, 'type')}: ${JSON.stringify(attrs)}`);
      case 'run.end':
        transcript.foreign(text);
        return transcript.add({ type: 'end', exitCode: exitCodeOf(numberIn(attrs, 'exit_code')) ?? 0 });
      default:
        return transcript.foreign(text);
    }
  }

  #setTime(line: Fields): void {
    const micros = numberIn(line, 'mono_us');
    const wall = timeIn(line, 'ts');
    // What the clock on the wall says of the first event tells when the run began, where no manifest does.
    if (this.#beginMs === 0 && wall !== undefined) this.#beginMs = wall - (micros ?? 0) / 1_000;
    this.transcript.at(micros === undefined ? wall : this.#beginMs + Math.max(0, micros) / 1_000);
  }

  #request(payload: Fields, text: string): void {
    const messages = listIn(payload, 'messages').map(fieldsOf);
    const questions = messages.filter((each) => textIn(each, 'role') === 'user').map(saidIn);
    const added = questions.filter((said) => said !== '').slice(this.#questions);
    for (const said of added) this.transcript.message({ role: 'user', text: said });
    this.#questions += added.length;
    this.transcript.foreign(text);
  }

  #response(payload: Fields, text: string): void {
    const choice = fieldsIn(fieldsOf(listIn(payload, 'choices')[0]), 'message');
    const said = saidIn(payload) || saidIn(choice);
    const model = this.#model === undefined ? {} : { model: this.#model };
    this.transcript.message({ role: 'assistant', text: said, ...model });
    this.transcript.foreign(text);
  }

  async #result(line: Fields, attrs: Fields): Promise<void> {
    const cause = listIn(line, 'causes').find((seq) => this.transcript.isOpen(`orca:${seq}`));
    const payload = await this.#payload(line);
    const result = payload ?? attrs;
    if (cause === undefined) {
      return this.transcript.result({ id: `orca:${numberIn(line, 'seq') ?? ''}`, result });
    }
    const id = `orca:${cause}`;
    const exitCode = numberIn(attrs, 'exit_code');
    const durationMs = numberIn(attrs, 'duration_ms');
    const shell = this.transcript.isShell(id)
      ? {
          shell: {
            stdout: typeof payload === 'string' ? payload : '',
            exitCode,
            ...(durationMs === undefined ? {} : { durationMs: Math.max(0, durationMs) }),
          },
        }
      : {};
    const isError = exitCode !== undefined ? exitCode !== 0 : attrs.is_error === true;
    this.transcript.result({ id, result, isError, ...shell });
  }

  /** What an event carries: JSON as it is, or the text of a blob. `undefined` where there is none, or not the one that is named. */
  async #payload({ payload }: Fields): Promise<unknown> {
    const name = textIn(fieldsOf(payload), '$blob');
    if (name === undefined) return payload;
    const hash = /^sha256:([0-9a-f]{64})$/.exec(name)?.[1];
    this.#sideFiles += 1;
    if (hash === undefined || this.#sideFiles > importLimits.sideFiles) return undefined;
    const bytes = await this.#source.readSideFile(`blobs/${hash.slice(0, 2)}/${hash}`);
    if (!bytes || bytes.length > importLimits.sideFileBytes) return undefined;
    if (hashObject(bytes) !== hash) {
      this.transcript.note(`The blob ${hash} was left out: it is damaged`);
      return undefined;
    }
    const text = new TextDecoder().decode(bytes);
    return textIn(fieldsOf(payload), 'media_type') === 'application/json' ? (parseJson(text) ?? text) : text;
  }
}

/** The words of a message of a model's interface: a text, or the blocks that have one. */
function saidIn({ content }: Fields): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.flatMap((block) => textIn(fieldsOf(block), 'text') ?? []).join('\n\n');
}
