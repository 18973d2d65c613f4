import { dateText } from '../format/date-text.ts';
import type { RecordingEvent } from '../format/recording-event.ts';
import type { SessionStream } from '../format/session-stream.ts';
import { agentOf } from './agent-of.ts';
import { CommandOutputs } from './command-outputs.ts';
import { exportLimits } from './limits.ts';
import { type Step, stepJson } from './trajectory-step.ts';

/**
 * A trajectory in the Agent Trajectory Interchange Format 1.7, by parts of its JSON. Ids of snapshots are in `extra.coppice` of calls
 * and results. A command that no call has run becomes a call of `shell`, so that what a person did is there too.
 */
export async function* toAtif({ header, events }: SessionStream): AsyncGenerator<string> {
  const { model, ...agent } = agentOf(header);
  const { generator, sandbox, begin, image, source } = header.coppice;
  const root = {
    schema_version: 'ATIF-v1.7',
    agent: { ...agent, ...(model === undefined ? {} : { model_name: model }) },
    ...(header.title === undefined ? {} : { notes: header.title }),
    extra: { coppice: { generator, sandbox, begin, image, source } },
  };
  yield `${JSON.stringify(root).slice(0, -1)},"steps":[`;
  const steps = new Steps(header.beginMs);
  for await (const { at, event } of events()) {
    steps.add(event, at);
    yield* steps.take();
  }
  yield* steps.finish();
  yield `\n],"final_metrics":{"total_steps":${steps.count}}}\n`;
}

/** Gathers events into steps. */
class Steps {
  readonly #beginMs: number;
  readonly #open: Step[] = [];
  readonly #outputs = new CommandOutputs();
  /** The command of each call that runs one, and the last call whose command has not come. */
  readonly #commands = new Map<number, string>();
  #calls = new Set<string>();
  #lastCall: string | undefined;
  #head: string | undefined;
  count = 0;

  constructor(beginMs: number) {
    this.#beginMs = beginMs;
  }

  add(event: RecordingEvent, at: number): void {
    this.#outputs.add(event);
    switch (event.type) {
      case 'message':
        this.#message(event, at);
        break;
      case 'call':
        this.#call(event, at);
        this.#lastCall = event.id;
        break;
      case 'result':
        this.#result(event);
        break;
      case 'command':
        this.#command(event, at);
        break;
      case 'command-end':
        this.#commandEnd(event);
        break;
      case 'snapshot':
      case 'head':
        this.#head = event.id;
        break;
      default:
        break;
    }
  }

  /** Steps that nothing more will come of, as JSON. */
  *take(): Generator<string> {
    while (this.#open.length > 1 && this.#isDone(this.#open[0])) yield* this.#next();
  }

  *finish(): Generator<string> {
    while (this.#open.length > 0) yield* this.#next();
  }

  #isDone(step: Step | undefined): boolean {
    return step !== undefined && (step.waiting.size === 0 || this.#open.length > exportLimits.openSteps);
  }

  *#next(): Generator<string> {
    const step = this.#open.shift();
    if (!step) return;
    for (const id of step.waiting) this.#calls.delete(id);
    this.count += 1;
    yield `${this.count === 1 ? '' : ','}\n${stepJson(step, this.count)}`;
  }

  #message(event: Extract<RecordingEvent, { readonly type: 'message' }>, at: number): void {
    const { role, text, model } = event;
    if (role === 'user' || role === 'system') {
      this.#begin(role, at).message = text;
      return;
    }
    const step = this.#agentStep(at, (last) => last.message === '' && last.calls.length === 0);
    if (role === 'thinking') step.reasoning = step.reasoning ? `${step.reasoning}\n\n${text}` : text;
    else step.message = text;
    step.model ??= model;
  }

  #call(event: Extract<RecordingEvent, { readonly type: 'call' }>, at: number): void {
    const step = this.#agentStep(at, (last) => last.results.length === 0);
    const { id, tool, arguments: given, snapshot } = event;
    step.calls.push({ id, tool, given, snapshot });
    step.waiting.add(id);
    this.#calls.add(id);
  }

  #result(event: Extract<RecordingEvent, { readonly type: 'result' }>): void {
    const { id, result, isError, snapshot } = event;
    const step = this.#open.find(({ waiting }) => waiting.has(id));
    this.#calls.delete(id);
    if (this.#lastCall === id) this.#lastCall = undefined;
    if (!step) return;
    step.waiting.delete(id);
    step.results.push({ id, content: textOf(result), isError, snapshot, exitCode: step.exitCodes.get(id) });
  }

  #command(event: Extract<RecordingEvent, { readonly type: 'command' }>, at: number): void {
    const { command, text, cwd } = event;
    if (this.#lastCall !== undefined) {
      this.#commands.set(command, this.#lastCall);
      this.#lastCall = undefined;
    } else if (this.#calls.size === 0) {
      const given = { command: text, ...(cwd === undefined ? {} : { cwd }) };
      this.#call(
        { type: 'call', id: `command-${command}`, tool: 'shell', arguments: given, ...this.#at() },
        at,
      );
    }
  }

  #commandEnd({ command, exitCode }: Extract<RecordingEvent, { readonly type: 'command-end' }>): void {
    const own = `command-${command}`;
    const id = this.#commands.get(command) ?? own;
    this.#commands.delete(command);
    this.#open.find(({ waiting }) => waiting.has(id))?.exitCodes.set(id, exitCode);
    const result = this.#outputs.take(command);
    if (id !== own || !this.#calls.has(own)) return;
    this.#result({ type: 'result', id, result, isError: exitCode !== 0, ...this.#at() });
  }

  #at(): { readonly snapshot?: string } {
    return this.#head === undefined ? {} : { snapshot: this.#head };
  }

  /** The last step where it is one of the agent that can have more, or a new one. */
  #agentStep(at: number, canHaveMore: (last: Step) => boolean): Step {
    const last = this.#open.at(-1);
    return last?.source === 'agent' && canHaveMore(last) ? last : this.#begin('agent', at);
  }

  #begin(source: Step['source'], at: number): Step {
    const step: Step = {
      source,
      timestamp: dateText(this.#beginMs + at * 1_000),
      message: '',
      calls: [],
      results: [],
      waiting: new Set(),
      exitCodes: new Map(),
    };
    this.#open.push(step);
    return step;
  }
}

function textOf(result: unknown): string {
  if (typeof result === 'string') return result;
  const output =
    typeof result === 'object' && result !== null && 'output' in result ? result.output : undefined;
  return typeof output === 'string' ? output : JSON.stringify(result);
}
