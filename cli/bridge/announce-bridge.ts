import type { X509Certificate } from 'node:crypto';
import { type ChosenIsolation, ownIdLacks } from '../../bridge-server/runtimes/jail/choose-isolation.ts';
import { isFor, type ReachableUrl } from './reachable-urls.ts';

export interface Announcement {
  /** The best first; one at least. */
  readonly urls: readonly ReachableUrl[];
  /** How roots are made. */
  readonly snapshots: string;
  /** What jails are kept in by. */
  readonly isolation: ChosenIsolation;
  /** Why sandboxes have no network, where they could have one. */
  readonly networkLack: string | undefined;
  /** Why nothing holds sandboxes to their memory, their processes and their share of the processors. */
  readonly limitsLack: string | undefined;
  /** Origins of pages that may connect. */
  readonly origins: readonly string[];
  readonly token: { readonly text: string } | { readonly file: string; readonly isNew: boolean } | undefined;
  readonly certificate: X509Certificate | undefined;
  /** Where traces go. */
  readonly traces: string | undefined;
}

/** What a bridge that has started says of itself: where it is, how to get in, and what will not work. */
export function announceBridge({
  urls,
  snapshots,
  isolation,
  networkLack,
  limitsLack,
  origins,
  token,
  certificate,
  traces,
}: Announcement): string {
  const [best, ...others] = urls;
  const forPages = urls.filter(({ fromPages }) => fromPages);
  const lines = [
    `The bridge is ready at ${best?.url}, with ${snapshots} snapshots`,
    ...others.map(({ url }) => `Also at ${url}`),
    ...isolationLines(isolation),
    ...networkLines({ isolation, networkLack }),
    ...(limitsLack === undefined
      ? []
      : [`Nothing holds sandboxes to memoryMiB, pids and cpuShares: ${limitsLack}.`]),
    ...(traces === undefined ? [] : [`Traces go to ${traces}`]),
    ...tokenLines(token),
    ...(token && 'text' in token
      ? origins.flatMap((origin) => forPages.map(({ url }) => pageLink(origin, { url, token: token.text })))
      : []),
    ...plainWarning(urls),
    ...(certificate ? certificateWarnings(certificate, urls) : []),
  ];
  return `\n${lines.map((line) => `  ${line}\n`).join('')}`;
}

/** The usual walls go without saying. */
function isolationLines({ isolation, why }: ChosenIsolation): string[] {
  if (isolation === 'namespace') return [];
  return [
    `Sandboxes are isolated by ${isolation}, not by namespaces: ${why}.`,
    `What they lack: ${ownIdLacks.join('; ')}.`,
  ];
}

/** Where there are other walls than the usual, it is told among what those lack. */
function networkLines({ isolation, networkLack }: Pick<Announcement, 'isolation' | 'networkLack'>): string[] {
  if (networkLack === undefined || isolation.isolation !== 'namespace') return [];
  return [`Sandboxes have no network: ${networkLack}.`];
}

function tokenLines(token: Announcement['token']): string[] {
  if (token === undefined) return [];
  if ('text' in token) return [`Token: ${token.text}`];
  return [`Token: ${token.isNew ? 'made, ' : ''}in ${token.file}`];
}

/** Hands a page the address and the token; a fragment is sent to no server. */
function pageLink(origin: string, { url, token }: { url: string; token: string }): string {
  return `From a page: ${origin}/#${new URLSearchParams({ bridge: url, token })}`;
}

function plainWarning(urls: readonly ReachableUrl[]): string[] {
  // The loopback by its number is on no network, and pages have another name for it.
  const refused = urls.filter(({ url, fromPages }) => !fromPages && new URL(url).hostname !== '[::1]');
  if (refused.length === 0) return [];
  return [
    `Pages do not connect to ${refused.map(({ url }) => url).join(', ')}: their policy allows TLS only, beside`,
    'localhost and 127.0.0.1, and a token that crosses a network in the clear is everybody’s.',
    'Give --tls-cert and --tls-key, or put a proxy with TLS before the bridge.',
  ];
}

function certificateWarnings(certificate: X509Certificate, urls: readonly ReachableUrl[]): string[] {
  const isForNone = !urls.some(({ url }) => isFor(certificate, new URL(url).hostname));
  const names = certificate.subjectAltName ?? certificate.subject;
  return [
    ...(isForNone
      ? [`Clients refuse the certificate: it is for ${names}. Give its name with --allow-host.`]
      : []),
    ...(certificate.validToDate.getTime() < Date.now()
      ? [`Clients refuse the certificate: it ended on ${certificate.validTo}.`]
      : []),
  ];
}
