import { InitClient } from '../../protocol/init/init-client.ts';
import { limits } from '../../protocol/limits.ts';
import { initPorts } from '../../sandbox/machine/init-ports.ts';
import type { RunningMachine } from '../../sandbox/machine/sandbox-machine.ts';
import { AgentChannel } from './agent-channel.ts';
import { ChangeFinder } from './change-finder.ts';
import type { HostMachineParts } from './host-machine-parts.ts';
import type { RootAndJail } from './root-and-jail.ts';
import type { WatchedDisk } from './watched-disk.ts';

/** A jail whose agent has answered, with what is let go of together. */
export interface JailMachine extends RunningMachine, RootAndJail {
  readonly init: InitClient;
  readonly agent: AgentChannel;
  /** Absent where the kernel holds it to its disk. */
  readonly disk: WatchedDisk | undefined;
  /** Of changes that no command and no caller asks for. */
  readonly finder: ChangeFinder;
  /** Set where its init is alone, from the last look on: how often it had been told something (`AgentChannel.sent`). */
  sameSince: number | undefined;
}

interface Meeting extends Pick<HostMachineParts, 'ignored' | 'watch' | 'watcher' | 'onChanged'> {
  /** Finds out what has changed. */
  readonly look: () => void;
  /** Called once its agent has answered, before anybody else has it. */
  readonly ready: (running: JailMachine) => Promise<void>;
}

/** Waits for the agent of a jail that has just started, or was left. Ends the jail where that fails. */
export async function meetJail(
  { root, jail }: RootAndJail,
  { ignored, watch, watcher, onChanged, look, ready }: Meeting,
): Promise<JailMachine> {
  const agent = new AgentChannel(jail.channel);
  const init = new InitClient(agent);
  const finder = new ChangeFinder({
    mount: root.mount,
    ignored,
    jail,
    watcher,
    look,
    onChanged: (by) => isSameAsSeen(running) || onChanged(by),
  });
  const disk = root.allow ? undefined : watch.watch({ root, jail });
  const running: JailMachine = {
    ...{ root, jail, init, agent, disk, finder },
    ...initPorts(init),
    sameSince: undefined,
    outOfMemoryKills: () => jail.outOfMemoryKills(),
    diskLimitKills: () => disk?.kills ?? 0,
    usage: () => jail.usage(),
  };
  void jail.ended.then(({ message }) => init.close(message));
  try {
    await init.hello({ timeoutMs: limits.bootTimeoutMs });
    await ready(running);
    return running;
  } catch (error) {
    disk?.[Symbol.dispose]();
    finder[Symbol.dispose]();
    init.close(error);
    await jail[Symbol.asyncDispose]();
    throw error;
  }
}

/** Whether nothing can have changed since the last look: init alone has run, and was told nothing. */
function isSameAsSeen({ init, jail, agent, sameSince }: JailMachine): boolean {
  return init.isQuiet && sameSince === agent.sent && jail.isAlone();
}
