import { type EmbedRuntime, embedRuntime } from '../embed-runtime.ts';
import { embedLimits } from '../limits.ts';

/** What a frame does by itself, as the fragment of its address says; it is not sent to a server. */
export interface FrameOptions {
  /** Whether a page drives it: then it begins nothing by itself. */
  readonly isDriven: boolean;
  readonly runtime: EmbedRuntime;
  readonly image: string | undefined;
  /** Entered into the terminal. */
  readonly run: string | undefined;
  readonly theme: 'auto' | 'light' | 'dark';
  readonly readonly: boolean;
}

/** Reads `#client`, or such as `#runtime=v86&run=uname%20-a&theme=dark&readonly`. What is not understood is left out. */
export function readFrameOptions(fragment: string): FrameOptions {
  const parameters = new URLSearchParams(fragment.replace(/^#/, ''));
  const theme = parameters.get('theme');
  return {
    isDriven: parameters.has('client'),
    runtime: embedRuntime(parameters.get('runtime')),
    image: parameters.get('image') ?? undefined,
    run: parameters.get('run')?.slice(0, embedLimits.commandCharacters),
    theme: theme === 'light' || theme === 'dark' ? theme : 'auto',
    readonly: parameters.has('readonly'),
  };
}
