// The worker of the shells of all embeds of a page, so that ten of them take little more memory than one.
import { shellDriver } from '../../../runtimes/shell/shell-driver.ts';
import type { EmbedStart } from '../../transports/embed-worker.ts';
import { startProgramWorker } from '../programs/start-program-worker.ts';
import { memoryQuota, serveEmbed } from './serve-embed.ts';

// Git of a shell would ask any server as this origin does, this origin's included.
const shells = shellDriver({ quota: memoryQuota, clientGitServers: [], startWorker: startProgramWorker });

addEventListener('message', ({ data }: MessageEvent<EmbedStart>) => serveEmbed(data, shells));
