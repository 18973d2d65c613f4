import { SandboxError } from './errors.ts';

/** Of a machine that runs programs and knows nothing of their commands. */
export function noCommandLimits(): SandboxError {
  const remedy =
    'Leave `limits` out and give a timeout, or run the command in a sandbox of the runtime "shell".';
  const message = `Cannot limit what the commands of a script do: only a shell in the process counts them. ${remedy}`;
  return new SandboxError('unsupported', message, { details: { feature: 'limits', remedy } });
}
