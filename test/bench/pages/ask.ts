type Reply = { readonly answer: unknown } | { readonly failure: string };

/** In a worker: answers every message with what `handle` resolves to. */
export function answerWith<Request>(handle: (request: Request) => Promise<unknown>): void {
  self.onmessage = async ({ data }: MessageEvent<Request>) => {
    const reply: Reply = await handle(data).then(
      (answer) => ({ answer }),
      (error: Error) => ({ failure: error.message }),
    );
    self.postMessage(reply);
  };
}

/** In a page: sends one message and resolves to its answer. One at a time. */
export function ask<Answer>(worker: Worker, request: unknown): Promise<Answer> {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<Reply>) => {
      if ('answer' in data) resolve(data.answer as Answer);
      else reject(new Error(data.failure));
    };
    worker.onerror = (event) => reject(new Error(event.message));
    worker.postMessage(request);
  });
}
