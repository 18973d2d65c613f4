import type { Effect } from './effect.ts';

const source = '/usr/share/ca-certificates/mozilla';

/** The bundle of update-ca-certificates, without the links by hash: what is in Debian reads the bundle. */
export const caBundle: Effect = ({ root }) => {
  const certificates = root.list(source).filter((name) => name.endsWith('.crt'));
  if (certificates.length === 0) return;
  const bundle = certificates.map((name) => `${(root.read(`${source}/${name}`) ?? '').trimEnd()}\n`);
  root.file('/etc/ssl/certs/ca-certificates.crt', bundle.join(''));
  root.file('/etc/ca-certificates.conf', certificates.map((name) => `mozilla/${name}\n`).join(''));
  root.symlink('/usr/lib/ssl/cert.pem', '/etc/ssl/certs/ca-certificates.crt');
};
