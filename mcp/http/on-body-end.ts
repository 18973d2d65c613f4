/** The same answer; `onEnd` is called once: when its last byte was read, when it breaks off, or when its reader cancels it. */
export function onBodyEnd(answer: Response, onEnd: () => void): Response {
  const { body, status, headers } = answer;
  if (body === null) {
    onEnd();
    return answer;
  }
  let isDone = false;
  const end = (): void => {
    if (isDone) return;
    isDone = true;
    onEnd();
  };
  const reader = body.getReader();
  const watched = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          end();
          controller.close();
        } catch (error) {
          end();
          controller.error(error);
        }
      },
      cancel: (reason) => {
        end();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(watched, { status, headers });
}
