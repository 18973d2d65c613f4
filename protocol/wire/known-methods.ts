import { SandboxError } from '../errors.ts';
import type { WireRequest } from './requests.ts';

/** The methods that a server has, each with the fields that it takes. */
export type KnownMethods = Readonly<Record<string, readonly string[]>>;

/**
 * Why a server cannot carry out a request, where its WELCOME says so: it is older than this client and lacks the method,
 * or a field that the request has. Without a list nothing is known, and the server answers for itself.
 */
export function unknownToServer(
  request: WireRequest,
  { methods, bytes }: { readonly methods: KnownMethods | undefined; readonly bytes?: Uint8Array | undefined },
): SandboxError | undefined {
  if (methods === undefined || !('ask' in request)) return undefined;
  const { method, ask = {} } = request;
  const fields = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (fields === undefined) return refusal(method, method);
  const given = Object.entries(ask).filter(([, value]) => value !== undefined);
  const names = [...given.map(([name]) => name), ...(bytes ? ['bytes'] : [])];
  const unknown = names.find((name) => !fields.includes(name));
  return unknown === undefined ? undefined : refusal(method, `${method} with ${unknown}`);
}

function refusal(method: string, feature: string): SandboxError {
  return new SandboxError(
    'unsupported',
    `Cannot carry out "${method}": the server does not know ${feature}`,
    {
      details: { feature },
    },
  );
}
