import { SandboxError } from '../../protocol/errors.ts';
import type { Place } from './place.ts';

/** Commands name sandboxes by their names, which should mean one each. @throws already-exists */
export async function assertNamesFree(names: readonly string[], { backend }: Place): Promise<void> {
  const taken = (await backend.list()).find(({ id, name }) => names.includes(name) || names.includes(id));
  if (!taken) return;
  throw new SandboxError(
    'already-exists',
    `There is a sandbox ${taken.name} already: coppice list shows all, coppice rename gives it another name`,
  );
}
