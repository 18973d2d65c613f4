/** A step of a trajectory while it is made. */
export interface Step {
  readonly source: 'user' | 'agent' | 'system';
  /** As RFC 3339 writes it. */
  readonly timestamp: string;
  message: string;
  reasoning?: string;
  model?: string | undefined;
  readonly calls: StepCall[];
  readonly results: StepResult[];
  /** Calls whose results have not come. */
  readonly waiting: Set<string>;
  /** Of commands that calls have run. */
  readonly exitCodes: Map<string, number>;
}

interface StepCall {
  readonly id: string;
  readonly tool: string;
  readonly given: unknown;
  readonly snapshot?: string | undefined;
}

interface StepResult {
  readonly id: string;
  readonly content: string;
  readonly isError?: boolean | undefined;
  readonly exitCode?: number | undefined;
  readonly snapshot?: string | undefined;
}

/** As JSON. Steps count from 1, without gaps. */
export function stepJson(step: Step, id: number): string {
  const { source, timestamp, message, reasoning, model, calls, results } = step;
  return JSON.stringify({
    step_id: id,
    timestamp,
    source,
    ...(model === undefined ? {} : { model_name: model }),
    message,
    ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(callValue) }),
    ...(results.length === 0 ? {} : { observation: { results: results.map(resultValue) } }),
  });
}

function callValue({ id, tool, given, snapshot }: StepCall): object {
  const isObject = typeof given === 'object' && given !== null && !Array.isArray(given);
  return {
    tool_call_id: id,
    function_name: tool,
    arguments: isObject ? given : { input: given },
    ...extra({ snapshot }),
  };
}

function resultValue({ id, content, ...more }: StepResult): object {
  return { source_call_id: id, content, ...extra(more) };
}

/** What we know besides: absent where that is nothing. */
function extra(values: Readonly<Record<string, unknown>>): object {
  const known = Object.entries(values).filter(([, value]) => value !== undefined && value !== false);
  return known.length === 0 ? {} : { extra: { coppice: Object.fromEntries(known) } };
}
