import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StatefulSet } from 'kubernetes-models/apps/v1/StatefulSet';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { Service } from 'kubernetes-models/v1/Service';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { bridgeCommand } from '../fixtures/bridge-command.ts';
import { root } from './documents.ts';

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;
const unit = readFileSync(join(root, 'examples/systemd/coppice-bridge.service'), 'utf8');

/** Options among `texts` that a bridge does not have. */
function unknownOptions(texts: readonly string[]): string[] {
  const help = execFileSync(process.execPath, ['scripts/bridge.ts', '--help'], {
    cwd: root,
    encoding: 'utf8',
  });
  return texts.flatMap((text) => text.match(/--[\w-]+/g) ?? []).filter((option) => !help.includes(option));
}

describe('the unit for systemd', () => {
  test('gives the bridge options that it knows', () => {
    const start = /^ExecStart=.*$/m.exec(unit)?.[0] ?? '';
    expect(start).toContain(`/node ${bridgeCommand.join(' ')} --root`);
    expect(start).toContain('--token-file');
    expect(unknownOptions([start.replace(bridgeCommand.join(' '), '')])).toEqual([]);
  });

  test.skipIf(!hasSystemd)('is one that systemd takes (skipped where there is no systemd-analyze)', () => {
    const folder = mkdtempSync(join(tmpdir(), 'coppice-unit-'));
    try {
      const path = join(folder, 'coppice-bridge.service');
      writeFileSync(path, unit.replaceAll('/opt/coppice', root));
      const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', path], {
        encoding: 'utf8',
      });
      expect({ status, about: stderr.split('\n').filter((line) => line.includes('coppice')) }).toEqual({
        status: 0,
        about: [],
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('the manifest for Kubernetes', () => {
  const text = readFileSync(join(root, 'examples/kubernetes/bridge.yaml'), 'utf8');
  const [set, service, policy] = parseAllDocuments(text).map((document) => document.toJS());

  test('R-11 is what Kubernetes takes', () => {
    new StatefulSet(set).validate();
    new Service(service).validate();
    new NetworkPolicy(policy).validate();
    // That these checks can fail at all.
    expect(() => new StatefulSet({ ...set, spec: { ...set.spec, replicas: 'one' } }).validate()).toThrow();
  });

  test('R-11 asks for no privilege, and is reached under a name that the bridge lets in', () => {
    const { spec } = set.spec.template;
    const [bridge] = spec.containers;
    expect(spec).toMatchObject({ hostUsers: false, securityContext: { runAsNonRoot: true } });
    expect(bridge.securityContext).toMatchObject({
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
    });
    expect(unknownOptions(bridge.args)).toEqual([]);
    const recipe = readFileSync(join(root, 'examples/kubernetes/Containerfile'), 'utf8');
    expect(recipe).toContain(bridgeCommand.map((word) => JSON.stringify(word)).join(', '));
    const name = service.metadata.name;
    expect(bridge.args).toContain(`--allow-host=${name}`);
    for (const probe of [bridge.readinessProbe, bridge.livenessProbe]) {
      expect(probe.httpGet.httpHeaders).toEqual([{ name: 'Host', value: name }]);
    }
  });
});

describe('the ordinary container', () => {
  const [set] = parseAllDocuments(readFileSync(join(root, 'examples/kubernetes/ordinary.yaml'), 'utf8')).map(
    (one) => one.toJS(),
  );
  const reference = readFileSync(join(root, 'docs/reference/container-entrypoint.md'), 'utf8');

  test('I-7 its pod is what Kubernetes takes, and has the capabilities that the reference names', () => {
    new StatefulSet(set).validate();
    const [{ securityContext, env }] = set.spec.template.spec.containers;
    expect(securityContext.capabilities.drop).toEqual(['ALL']);
    for (const name of securityContext.capabilities.add) expect(reference).toContain(`\`${name}\``);
    for (const { name } of env) expect(reference).toContain(`| \`${name}\` |`);
  });

  test('the reference has every setting of the entrypoint, and no other', () => {
    const source = readFileSync(join(root, 'guest/entry/settings.c'), 'utf8');
    const read = source.matchAll(/(?:text|path|seconds)\("([A-Z_]+)"/g);
    const told = reference.matchAll(/^\| `([A-Z]+_?[A-Z]*)` \| .* \| .* \|$/gm);
    const names = (matches: Iterable<RegExpMatchArray>) =>
      [...new Set([...matches].map(([, name]) => name))].sort();
    expect(names(told)).toEqual(names(read));
  });
});

describe('the agent in a container', () => {
  const [set] = parseAllDocuments(readFileSync(join(root, 'examples/kubernetes/agent.yaml'), 'utf8')).map(
    (one) => one.toJS(),
  );

  test('R-11 its pod is what Kubernetes takes, and has no right that a container does not usually have', () => {
    new StatefulSet(set).validate();
    const [{ securityContext }] = set.spec.template.spec.containers;
    expect(securityContext.privileged).toBe(false);
    expect(
      securityContext.capabilities.add.filter((name: string) => /SYS_ADMIN|NET_ADMIN|SYS_PTRACE/.test(name)),
    ).toEqual([]);
    expect(set.spec.template.spec.securityContext).toEqual({ seccompProfile: { type: 'RuntimeDefault' } });
  });

  test('its entrypoint gives options that there are', () => {
    const script = readFileSync(join(root, 'examples/container/entrypoint.sh'), 'utf8');
    const help = ['init', 'supervise', 'head'].map((name) =>
      execFileSync(process.execPath, ['cli/main.ts', name, '--help'], { cwd: root, encoding: 'utf8' }),
    );
    const options = [...new Set(script.match(/--[a-z][\w-]+/g))];
    expect(options.filter((option) => !help.join().includes(option))).toEqual([]);
  });
});
