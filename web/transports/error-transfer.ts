import { transferHandlers } from 'comlink';
import { SandboxError } from '../../protocol/errors.ts';

interface Thrown {
  readonly value: unknown;
}
type Serialized =
  | { readonly isError: true; readonly value: { message: string; name: string; stack?: string } }
  | { readonly isError: false; readonly value: unknown };

let installed = false;

/**
 * comlink keeps only name, message and stack of what is thrown. This keeps the code and details
 * of a `SandboxError` as well, so that the other side can tell failures apart. Both sides call it.
 */
export function installErrorTransfer(): void {
  if (installed) return;
  installed = true;
  const handler = transferHandlers.get('throw');
  if (!handler) throw new TypeError('This version of comlink has no transfer handler for errors');
  const serialize = handler.serialize.bind(handler) as (thrown: Thrown) => [Serialized, Transferable[]];
  handler.serialize = (thrown: unknown) => {
    const error = SandboxError.from((thrown as Thrown).value);
    const [plain, transfer] = serialize({ value: error });
    return [{ ...plain, value: { ...(plain.value as object), ...error.toData() } }, transfer];
  };
}
