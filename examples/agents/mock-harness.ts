import type { HarnessV1, HarnessV1ResumeSessionState } from '@ai-sdk/harness';

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** A harness whose agent takes each prompt for a command, runs it in the session's directory and says what it prints. */
export function mockHarness({ setUp = 'echo set >> log' }: { setUp?: string } = {}): HarnessV1 {
  return {
    specificationVersion: 'harness-v1',
    harnessId: 'mock',
    builtinTools: {},
    getBootstrap: async () => ({
      harnessId: 'mock',
      bootstrapDir: '/home/user/.mock',
      files: [{ path: '/home/user/.mock/agent', content: 'v1' }],
      commands: [{ command: setUp }],
    }),
    doStart: async ({ sessionId, sandboxSession, sessionWorkDir, resumeFrom }) => {
      const state: HarnessV1ResumeSessionState = {
        type: 'resume-session',
        harnessId: 'mock',
        specificationVersion: 'harness-v1',
        data: {},
      };
      const turn = async (command: string, emit: Parameters<Turn>[0]['emit']) => {
        const { stdout, exitCode } = await sandboxSession.run({ command, workingDirectory: sessionWorkDir });
        emit({ type: 'stream-start' });
        emit({ type: 'text-start', id: '1' });
        emit({ type: 'text-delta', id: '1', delta: `${stdout}${exitCode}` });
        emit({ type: 'text-end', id: '1' });
        emit({ type: 'finish-step', finishReason: { unified: 'stop', raw: undefined }, usage });
        emit({ type: 'finish', finishReason: { unified: 'stop', raw: undefined }, totalUsage: usage });
      };
      const refuse = async () => {
        throw new Error('not in this harness');
      };
      return {
        sessionId,
        isResume: resumeFrom !== undefined,
        doPromptTurn: async ({ prompt, emit }) => ({
          submitToolResult: refuse,
          done: turn(String(prompt), emit),
        }),
        doCompact: refuse,
        doContinueTurn: refuse,
        doSuspendTurn: refuse,
        doDetach: async () => state,
        doStop: async () => state,
        doDestroy: async () => undefined,
      };
    },
  };
}

type Turn = Awaited<ReturnType<HarnessV1['doStart']>>['doPromptTurn'];
