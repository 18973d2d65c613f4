import { type Fields, fieldsIn, fieldsOf, numberIn, parseJson, textIn } from '../fields.ts';
import type { TranscriptResult } from '../transcript.ts';

/** What `event_msg` tells of the end of a call. */
export type CallEnd = Omit<TranscriptResult, 'snapshot' | 'isError'> & { readonly isError: boolean };

/** The end of a call that an event tells; `undefined` of another event. */
export function endOf(event: Fields): CallEnd | undefined {
  const id = textIn(event, 'call_id');
  if (id === undefined) return undefined;
  switch (textIn(event, 'type')) {
    case 'exec_command_end':
      return commandEnd(event, id);
    case 'patch_apply_end': {
      const said = [textIn(event, 'stdout'), textIn(event, 'stderr')].filter(Boolean).join('\n');
      return { id, result: said, isError: event.success === false };
    }
    case 'mcp_tool_call_end': {
      const result = fieldsIn(event, 'result');
      const failed = result.Err !== undefined || fieldsIn(result, 'Ok').isError === true;
      return { id, result: result.Ok ?? result.Err ?? '', isError: failed };
    }
    case 'web_search_end':
      return { id, result: textIn(event, 'query') ?? '', isError: false };
    default:
      return undefined;
  }
}

function commandEnd(event: Fields, id: string): CallEnd {
  const whole = textIn(event, 'aggregated_output');
  const stdout = whole ?? textIn(event, 'stdout') ?? '';
  const stderr = whole === undefined ? textIn(event, 'stderr') : undefined;
  const exitCode = numberIn(event, 'exit_code') ?? (textIn(event, 'status') === 'failed' ? 1 : 0);
  const durationMs = durationOf(fieldsIn(event, 'duration'));
  return {
    id,
    result: { output: stdout + (stderr ?? ''), exitCode },
    isError: exitCode !== 0,
    shell: {
      stdout,
      ...(stderr === undefined ? {} : { stderr }),
      exitCode,
      ...(durationMs === undefined ? {} : { durationMs }),
    },
  };
}

/** As Rust writes a duration. */
function durationOf(fields: Fields): number | undefined {
  const seconds = numberIn(fields, 'secs');
  return seconds === undefined
    ? undefined
    : Math.max(0, Math.round(seconds * 1_000 + (numberIn(fields, 'nanos') ?? 0) / 1e6));
}

/** What the model was told of a call's result, where no event tells more. */
export function modelResultOf(
  output: unknown,
  { isShell }: { readonly isShell: boolean },
): Pick<TranscriptResult, 'result' | 'isError' | 'shell'> {
  const text = outputText(output);
  if (!isShell) return { result: text };
  const shell = toldCommand(text);
  return { result: text, shell, isError: (shell.exitCode ?? 0) !== 0 };
}

/** A text, the parts of one, or an object that has one. */
function outputText(output: unknown): string {
  if (typeof output === 'string') return output;
  if (Array.isArray(output)) return output.map((part) => textIn(fieldsOf(part), 'text') ?? '').join('\n');
  return textIn(fieldsOf(output), 'content') ?? textIn(fieldsOf(output), 'output') ?? '';
}

/** Lines that stand above the output: `Exit code: 1`, `Wall time: 0.5 seconds`, `Process exited with code 1`, up to `Output:`. */
const head = /^(?:[A-Z][^\n]{0,100}\n){1,8}?(?:Final )?[Oo]utput:\n/;
const exited = /(?:^Exit code: |^Process exited with code )(-?\d{1,10})$/m;
const wallTime = /^Wall time: ([\d.]{1,12}) seconds$/m;

function toldCommand(text: string): NonNullable<TranscriptResult['shell']> {
  const json = text.startsWith('{') ? fieldsOf(parseJson(text)) : {};
  const output = textIn(json, 'output');
  if (output !== undefined) {
    const metadata = fieldsIn(json, 'metadata');
    const seconds = numberIn(metadata, 'duration_seconds');
    return {
      stdout: output,
      exitCode: numberIn(metadata, 'exit_code'),
      ...(seconds === undefined ? {} : { durationMs: Math.max(0, Math.round(seconds * 1_000)) }),
    };
  }
  const above = head.exec(text)?.[0];
  if (above === undefined) return { stdout: text };
  const code = exited.exec(above)?.[1];
  const seconds = wallTime.exec(above)?.[1];
  return {
    stdout: text.slice(above.length),
    ...(code === undefined ? {} : { exitCode: Number(code) }),
    ...(seconds === undefined ? {} : { durationMs: Math.round(Number(seconds) * 1_000) || 0 }),
  };
}
