import { SandboxError } from '../../protocol/errors.ts';
import { isSnapshotId } from '../../protocol/resolve-snapshot.ts';
import { type Fields, fieldsIn, fieldsOf, listIn, parseJson, textIn, timeIn } from './fields.ts';
import type { ImportSource } from './importer.ts';
import { importLimits } from './limits.ts';
import { readDocument } from './read-lines.ts';
import { cutTitle, type DatedEvent, Transcript } from './transcript.ts';

/** Where steps say nothing of when they were, each takes this long. */
const stepMs = 1_000;

/**
 * A trajectory in the Agent Trajectory Interchange Format, of any version 1.x. Snapshots that we wrote into `extra` come back.
 * @throws invalid-argument, limit-exceeded
 */
export async function* importAtif({ pieces, facts }: ImportSource): AsyncGenerator<DatedEvent> {
  const root = fieldsOf(parseJson(await readDocument(pieces)));
  const version = textIn(root, 'schema_version') ?? '';
  if (!/^ATIF-v1\.\d{1,3}$/.test(version)) {
    const what = version === '' ? 'no schema_version' : `the version "${cutTitle(version)}"`;
    throw new SandboxError('invalid-argument', `Cannot import a trajectory with ${what}: ATIF-v1.x is read`);
  }
  const agent = fieldsIn(root, 'agent');
  const [name = 'agent', agentVersion = ''] = [textIn(agent, 'name'), textIn(agent, 'version')];
  facts.agent = cutTitle(`${name} ${agentVersion}`.trimEnd());
  facts.model = textIn(agent, 'model_name') ?? facts.model ?? '';
  const steps = listIn(root, 'steps').map(fieldsOf);
  if (steps.length > 0 && steps.every((step) => timeIn(step, 'timestamp') === undefined))
    facts.omitted.push('The trajectory does not say when its steps were: each was given a second');
  const trajectory = new Trajectory(root);
  const position = { terminal: 1, depth: 0, model: textIn(agent, 'model_name') };
  for (const step of steps) {
    trajectory.step(step, position);
    yield* trajectory.transcript.take();
  }
  yield* trajectory.transcript.finish();
}

interface Position {
  readonly terminal: number;
  readonly depth: number;
  readonly model: string | undefined;
}

class Trajectory {
  readonly transcript = new Transcript('atif');
  /** Trajectories of sub-agents, by their ids, that have not been told. */
  readonly #agents = new Map<string, Fields>();

  constructor(root: Fields) {
    for (const each of listIn(root, 'subagent_trajectories').map(fieldsOf)) {
      const id = textIn(each, 'trajectory_id');
      if (id !== undefined) this.#agents.set(id, each);
    }
    this.transcript.at(0);
  }

  step(step: Fields, { terminal, depth, model: usual }: Position): void {
    const { transcript } = this;
    transcript.at(timeIn(step, 'timestamp') ?? transcript.ms + stepMs);
    const source = textIn(step, 'source');
    const model = textIn(step, 'model_name') ?? (source === 'agent' ? usual : undefined);
    const byModel = model === undefined ? {} : { model };
    const thinking = textIn(step, 'reasoning_content') ?? '';
    transcript.message({ role: 'thinking', text: thinking, ...byModel }, terminal);
    const role = source === 'user' ? 'user' : source === 'agent' ? 'assistant' : 'system';
    const text = textOfContent(step.message);
    transcript.message({ role, text, ...(role === 'assistant' ? byModel : {}) }, terminal);
    for (const call of listIn(step, 'tool_calls').map(fieldsOf)) {
      transcript.call(
        {
          id: textIn(call, 'tool_call_id') ?? '',
          tool: textIn(call, 'function_name') ?? '',
          arguments: call.arguments ?? {},
          ...snapshotOf(call),
        },
        terminal,
      );
    }
    for (const result of listIn(fieldsIn(step, 'observation'), 'results').map(fieldsOf))
      this.#result(result, { terminal, depth });
  }

  #result(result: Fields, { terminal, depth }: Pick<Position, 'terminal' | 'depth'>): void {
    for (const reference of listIn(result, 'subagent_trajectory_ref').map(fieldsOf))
      this.#agent(textIn(reference, 'trajectory_id'), depth + 1);
    const id = textIn(result, 'source_call_id');
    const content = textOfContent(result.content);
    if (id === undefined) {
      this.transcript.message({ role: 'system', text: content }, terminal);
      return;
    }
    const ours = fieldsIn(fieldsIn(result, 'extra'), 'coppice');
    const exitCode = typeof ours.exitCode === 'number' ? { exitCode: ours.exitCode } : {};
    const shell = this.transcript.isShell(id) ? { shell: { stdout: content, ...exitCode } } : {};
    const isError = ours.isError === true;
    this.transcript.result({ id, result: content, isError, ...shell, ...snapshotOf(result) });
  }

  /** What a sub-agent did, where the document has it: before the result that refers to it. */
  #agent(id: string | undefined, depth: number): void {
    const trajectory = id === undefined ? undefined : this.#agents.get(id);
    if (id === undefined || !trajectory || depth > importLimits.agentDepth) return;
    this.#agents.delete(id);
    const { ms } = this.transcript;
    const agent = fieldsIn(trajectory, 'agent');
    const terminal = this.transcript.openTerminal(textIn(agent, 'name') ?? id);
    const position = { terminal, depth, model: textIn(agent, 'model_name') };
    for (const step of listIn(trajectory, 'steps').map(fieldsOf)) this.step(step, position);
    this.transcript.at(Math.max(ms, this.transcript.ms));
  }
}

/** A text, or a list of parts of which the texts are taken. */
function textOfContent(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map(fieldsOf)
    .map((part) => textIn(part, 'text') ?? (textIn(part, 'type') === 'image' ? '[image]' : ''))
    .join('\n\n');
}

function snapshotOf(fields: Fields): { readonly snapshot?: string } {
  const snapshot = textIn(fieldsIn(fieldsIn(fields, 'extra'), 'coppice'), 'snapshot');
  return snapshot !== undefined && isSnapshotId(snapshot) ? { snapshot } : {};
}
