/** The help of a bridge that is started by `command`. */
export function bridgeUsage(command: string): string {
  return `Usage: ${command} [options]

Runs sandboxes in jails on this host, and serves them to pages, the SDK, HTTP clients and, at /mcp, hosts of MCP.
Prints the URL and a new token; tokens are kept as hashes, so note it down.

  --port 7070            where to listen; 0 picks a free port
  --host 127.0.0.1       an address of this machine, 0.0.0.0 for all; others than the loopback need TLS or a proxy
  --tls-cert FILE        the certificate of this bridge and those that it depends on, as PEM; with --tls-key
  --tls-key FILE         its private key, as PEM. SIGHUP reads both anew
  --root FOLDER          where sandboxes are kept (COPPICE_ROOT; default ~/.local/share/coppice)
  --snapshots KIND       btrfs, overlay or copy; by default the best that works here (COPPICE_BACKEND)
  --isolation LEVEL      what keeps sandboxes from this host: namespace, or landlock where those are forbidden, as
                         in a container; by default the first that works (COPPICE_ISOLATION)
  --allow-nested         sandboxes may ask for weaker walls (nested), so that others can run in them
  --one-id               as an ordinary user, leave the range of ids of /etc/subuid alone
  --reattach-seconds 60  how long what runs in sandboxes waits for the bridge to be started again when it is
                         killed, or handed over by SIGUSR2; 0 ends it at once
  --allow-origin URL     a page that may connect, as https://example.org; may be given several times
  --allow-host NAME      a name under which clients reach this bridge; may be given several times
  --connections-per-address 256
                         connections that an address may have open before they show a token; the oldest of
                         more are closed. Behind a proxy, all clients have the address of that
  --git-host NAME        a server that pages may reach with git through this bridge, as git.example.org;
                         may be given several times (COPPICE_GIT_HOSTS, with commas; default none)
  --network public       what sandboxes that ask for a network reach: the public internet, or none with off
                         (COPPICE_NETWORK)
  --network-allow RANGE  addresses of IPv4 that they reach as well, as 10.1.2.0/24; may be given several times
                         (COPPICE_NETWORK_ALLOW, with commas; default none)
  --max NAME=NUMBER      the most that a new sandbox may ask for: memoryMiB (8192), diskMiB (16384),
                         cpuShares (1024), pids (4096), cpus (those of the host), ioMiBps (any); may be
                         given several times. Who asks for no cpus or ioMiBps has no limit, or this one
  --image debian         an image to have ready, made if need be; may be given several times, and the first
                         is that of sandboxes that do not name one (debian-amd64 is one for 64 bits, and
                         the default where the kernel runs no 32-bit programs; npm run images -- import
                         makes one of files of your own)
  --token-file FILE      make a token once and keep it in this file, instead of one at every start
  --no-token             do not make a token: clients have one already
  -h, --help             this text`;
}
