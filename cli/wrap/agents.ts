/** Text of an agent's configuration in which `{hook}` stands for the command that it is to run, and `{argv}` for its words as JSON. */
type Template = string;

/** What goes into the configuration of an agent: members of a JSON file, or lines of a text file. */
export type AgentSettings =
  | { readonly type: 'json'; readonly members: Readonly<Record<string, unknown>> }
  | {
      readonly type: 'lines';
      readonly comment: string;
      readonly lines: readonly Template[];
      /** Names that must not be set already, since each can be set once. */
      readonly keys: readonly string[];
    };

/** How an agent tells a hook what it does. */
interface AgentPayload {
  /** Standard input, the last argument, or nothing at all. */
  readonly from: 'stdin' | 'argument' | 'none';
  /** The member that names the event. */
  readonly event?: string;
  /** Events at which a tool is about to begin: what others have changed until then becomes a snapshot of its own. */
  readonly before: readonly string[];
  /** Events after which something was done: a snapshot with a label. Without any, each event is one. */
  readonly after: readonly string[];
  /** Members that name what was done, the first that is there. */
  readonly tool: readonly string[];
  /** Members that tell more of it, the first that is there: text, a list of texts, or an object with one of `details`. */
  readonly input: readonly string[];
}

/** An agent that people have, and how each of its tool calls becomes a snapshot. */
export interface Agent {
  readonly title: string;
  /** Its file below the folder that it works in, or `~/…`. */
  readonly file: string;
  readonly settings: AgentSettings;
  readonly payload: AgentPayload;
  /** What one snapshot is. */
  readonly step: string;
  /** What to know before. */
  readonly remark?: string;
}

/** Members of a tool's input that say in a few words what it does, the most telling first. */
export const details: readonly string[] = [
  'command',
  'file_path',
  'filePath',
  'path',
  'absolute_path',
  'pattern',
  'query',
  'url',
  'description',
  'prompt',
];

const onEveryTool = [{ matcher: '*', hooks: [{ type: 'command', command: '{hook}', timeout: 30 }] }];
const onEveryToolMs = [{ matcher: '*', hooks: [{ type: 'command', command: '{hook}', timeout: 30_000 }] }];

/** By the names that `coppice wrap` and `coppice hook` take. Nothing else in the program knows any of them. */
export const agents: Readonly<Record<string, Agent>> = {
  claude: {
    title: 'Claude Code',
    file: '.claude/settings.json',
    settings: { type: 'json', members: { hooks: { PreToolUse: onEveryTool, PostToolUse: onEveryTool } } },
    payload: {
      from: 'stdin',
      event: 'hook_event_name',
      before: ['PreToolUse'],
      after: ['PostToolUse'],
      tool: ['tool_name'],
      input: ['tool_input'],
    },
    step: 'a tool call',
  },
  codex: {
    title: 'Codex',
    file: '~/.codex/config.toml',
    settings: { type: 'lines', comment: '#', lines: ['notify = {argv}'], keys: ['notify'] },
    payload: {
      from: 'argument',
      event: 'type',
      before: [],
      after: ['agent-turn-complete'],
      tool: [],
      input: ['input-messages', 'last-assistant-message'],
    },
    step: 'a turn: Codex tells of nothing smaller there',
    remark: 'The file is for all folders: those without a history are left alone.',
  },
  gemini: {
    title: 'Gemini CLI',
    file: '.gemini/settings.json',
    settings: { type: 'json', members: { hooks: { BeforeTool: onEveryToolMs, AfterTool: onEveryToolMs } } },
    payload: {
      from: 'stdin',
      event: 'hook_event_name',
      before: ['BeforeTool'],
      after: ['AfterTool'],
      tool: ['tool_name'],
      input: ['tool_input'],
    },
    step: 'a tool call',
  },
  cursor: {
    title: 'Cursor',
    file: '.cursor/hooks.json',
    settings: {
      type: 'json',
      members: {
        version: 1,
        hooks: {
          afterShellExecution: [{ command: '{hook}' }],
          afterFileEdit: [{ command: '{hook}' }],
          afterMCPExecution: [{ command: '{hook}' }],
        },
      },
    },
    payload: {
      from: 'stdin',
      event: 'hook_event_name',
      before: [],
      after: ['afterShellExecution', 'afterFileEdit', 'afterMCPExecution'],
      tool: ['tool_name', 'hook_event_name'],
      input: ['command', 'file_path', 'tool_input'],
    },
    step: 'a command, an edit, or a call of an MCP tool',
  },
  aider: {
    title: 'aider',
    file: '.aider.conf.yml',
    settings: {
      type: 'lines',
      comment: '#',
      lines: ['notifications: true', "notifications-command: '{hook}'"],
      keys: ['notifications', 'notifications-command'],
    },
    payload: { from: 'none', before: [], after: [], tool: [], input: [] },
    step: 'an answer: aider says nothing of what it did',
  },
};
