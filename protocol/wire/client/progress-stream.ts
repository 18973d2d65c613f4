import { progress } from '../../sandbox/events-table.ts';
import type { ProgressListener } from '../../sandbox/progress.ts';
import { violation } from '../frames/frame.ts';
import { IncomingStream, type StreamReceiver } from './incoming-stream.ts';

/** The stream of a request that tells of progress until it is answered. */
export function progressStream(onProgress: ProgressListener | undefined): StreamReceiver {
  return new IncomingStream({
    decode: (message) => {
      if (message.type === 'item') return progress(message.json, 'progress');
      if (message.type === 'fail') return undefined;
      throw violation('what is no progress on the stream of a request that tells of it');
    },
    listener: (event) => (event ? onProgress?.(event) : undefined),
  });
}
