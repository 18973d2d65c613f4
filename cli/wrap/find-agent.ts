import { SandboxError } from '../../protocol/errors.ts';
import { type Agent, agents } from './agents.ts';

/** @throws not-found with those that there are */
export function findAgent(name: string): Agent {
  const agent = Object.hasOwn(agents, name) ? agents[name] : undefined;
  if (agent) return agent;
  const message = `There is no agent ${JSON.stringify(name.slice(0, 64))} in the table: there are ${Object.keys(agents).join(', ')}. docs/reference/wrap.md says what another one needs`;
  throw new SandboxError('not-found', message);
}
