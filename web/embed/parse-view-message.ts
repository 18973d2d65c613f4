import { embedLimits } from './limits.ts';
import { type EmbedLook, typeOf, type ViewMessage } from './messages.ts';

type Given = Readonly<Record<string, unknown>>;

const mostProperties = 64;
const mostShown = 4;

/** What a page says of what a frame shows; `undefined` of what is no such message. */
export function parseViewMessage(data: unknown): ViewMessage | undefined {
  const given = Object(data) as Given;
  switch (typeOf(data)) {
    case 'look':
      return { type: 'look', look: parseLook(Object(given.look)) };
    case 'show':
      return { type: 'show', sandboxes: parseShown(given.sandboxes) };
    case 'enter': {
      const { sandbox, line } = given;
      if (typeof sandbox !== 'string' || typeof line !== 'string') return undefined;
      return { type: 'enter', sandbox, line: line.slice(0, embedLimits.commandCharacters) };
    }
    case 'replay': {
      const { files, at } = given;
      if (!Array.isArray(files) || files.length === 0 || files.length > embedLimits.recordingFiles)
        return undefined;
      if (!files.every((file) => file instanceof File)) return undefined;
      return { type: 'replay', files, at: isSeconds(at) ? at : 0 };
    }
    case 'focus':
      return { type: 'focus' };
    default:
      return undefined;
  }
}

function parseLook({ theme, readonly, properties }: Given): EmbedLook {
  const named = Object.entries(Object(properties) as Given)
    .filter(([name, value]) => /^--cp-[a-z0-9-]{1,40}$/.test(name) && isShort(value))
    .slice(0, mostProperties);
  return {
    theme: theme === 'light' || theme === 'dark' ? theme : 'auto',
    readonly: readonly === true,
    properties: Object.fromEntries(named) as Record<string, string>,
  };
}

function parseShown(sandboxes: unknown): { id: string; title: string }[] {
  if (!Array.isArray(sandboxes)) return [];
  return sandboxes.slice(0, mostShown).flatMap((each) => {
    const { id, title } = Object(each) as Given;
    return typeof id === 'string' ? [{ id, title: isShort(title) ? title : '' }] : [];
  });
}

function isShort(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 200;
}

function isSeconds(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
