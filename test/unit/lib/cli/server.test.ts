import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { proxyProof } from '../../../../lib/local/config/proxy-proof.ts';
import { type CliRun, cli } from '../../../support/cli.ts';
import { newFolder } from '../../../support/new-folder.ts';
import { caddyVersion, validate, versionOf } from '../../../support/service/caddy.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = newFolder('my server $-%');
});

const run = (args: string, env: Record<string, string> = {}): Promise<CliRun> =>
  cli(`server ${args}`, { env: { DATA_DIR: dataDir, ...env } });

describe('hooks server', () => {
  it('needs the domain of the applications, from the option, the environment or the configuration', async () => {
    expect(await run('')).toMatchObject({ code: 1, err: expect.stringContaining('--domain apps.example.com') });
    expect((await run('--domain apps.example.com')).code).toBe(0);
    expect((await run('', { APPS_DOMAIN: 'apps.example.com' })).code).toBe(0);
    writeFileSync(join(dataDir, 'config.json'), '{"appsDomain":"apps.example.com"}');
    expect((await run('')).code).toBe(0);
    expect(await run('--domain *.example.com')).toMatchObject({
      code: 1,
      err: expect.stringContaining('APPS_DOMAIN must'),
    });
  });

  it('prints what needs no domain without one', async () => {
    const { code, out } = await run('--watch ./notify.sh --as hooks');
    expect([code, out]).toEqual([0, expect.stringContaining('watch --run')]);
    expect((await run('--caddy')).err).toContain('The domain of the applications is not known');
  });

  it('says which names answer, and where the two files belong', async () => {
    const { out } = await run('--domain apps.example.com --as hooks');
    for (const part of [
      '*.apps.example.com to this server',
      'https://deploy.apps.example.com  the service',
      'https://<application>.<user>.apps.example.com',
      'https://git.apps.example.com/<user>/<name>.git',
      '/etc/systemd/system/deployment-webhooks.service',
      '/etc/systemd/system/deployment-webhooks-runner.service',
      '/etc/caddy/Caddyfile',
    ]) {
      expect(out).toContain(part);
    }
  });

  it('prints one file alone, to be written where it belongs', async () => {
    const { out: unit } = await run('--systemd --domain apps.example.com --as hooks');
    const { out: caddyfile } = await run('--caddy --domain apps.example.com');
    expect(unit).toMatch(/^\[Unit\]\n/);
    expect(caddyfile).toMatch(/^\{\n/);
    expect((await run('--domain apps.example.com --as hooks')).out).toContain(unit);
    expect((await run('--systemd --caddy --domain apps.example.com')).code).toBe(2);
  });

  it('warns when the applications would run as root', async () => {
    expect((await run('--systemd --domain a.example.com --as root')).err).toContain('--as <user>');
    expect((await run('--systemd --domain a.example.com --as hooks')).err).toBe('');
  });

  it('refuses a port that changes with each start', async () => {
    expect(await run('--domain a.example.com', { PORT: '0' })).toMatchObject({ code: 2 });
  });
});

const systemd = versionOf('systemd-analyze', '--version');

describe('the unit for systemd', () => {
  it('has this Node, this checkout, the port, the data folder and the settings of the environment', async () => {
    const env = { PORT: '8090', PUBLIC_URL: 'https://deploy.example.com', LISTEN: '::1', ISOLATION: 'required' };
    const { out } = await run('--systemd --domain apps.example.com --as hooks', env);
    expect(out).toContain('\nUser=hooks\n');
    expect(out).toContain(`\nExecStart=${process.execPath} bin/run.mjs local\n`);
    expect(out).toContain(`\nWorkingDirectory=${process.cwd()}\n`);
    expect(out).toContain('\nEnvironment=PORT=8090\n');
    expect(out).toContain('\nEnvironment=PUBLIC_URL=https://deploy.example.com\n');
    expect(out).toContain('\nEnvironment=ISOLATION=required\n');
    expect(out).toContain(`\nEnvironment="DATA_DIR=${dataDir.replaceAll('%', '%%')}"\n`);
    expect(out).not.toContain('CAP_NET_BIND_SERVICE');
  });

  it('gives the right to a low port', async () => {
    const { out } = await run('--systemd --domain apps.example.com --as hooks', { PORT: '80' });
    expect(out).toContain('\nAmbientCapabilities=CAP_NET_BIND_SERVICE\n');
    const high = await run('--runner --domain apps.example.com --as hooks', { PORT: '8080' });
    expect(high.out).not.toContain('CAP_NET_BIND_SERVICE');
  });

  it('lets it write into the checkout and the data folder only, also where a part of that was moved', async () => {
    const other = newFolder('other disk');
    mkdirSync(join(other, 'platform'));
    writeFileSync(join(other, 'service.db'), '');
    for (const name of ['platform', 'service.db']) symlinkSync(join(other, name), join(dataDir, name));
    symlinkSync(join(other, 'gone'), join(dataDir, 'gone'));
    const { out } = await run('--systemd --domain apps.example.com --as hooks');
    const folders = [dataDir, join(realpathSync(other), 'platform'), realpathSync(other)];
    const quoted = folders.map((folder) => `"${folder.replaceAll('%', '%%')}"`).join(' ');
    expect(out).toContain('\nProtectSystem=strict\n');
    expect(out).toContain(`\nReadWritePaths=${process.cwd()} ${quoted}\n`);
  });

  it('leaves bubblewrap what it needs', async () => {
    for (const unit of ['systemd', 'runner']) {
      const { out } = await run(`--${unit} --domain apps.example.com --as hooks`);
      expect(out).not.toMatch(
        /^(?:RestrictNamespaces|ProtectKernel(?:Tunables|Logs)|PrivateUsers|ProcSubset|SystemCallFilter)=/m,
      );
    }
  });

  const tried = systemd ?? 'NOT TRIED: systemd-analyze is not installed';
  it.each([
    ['runner', 'deployment-webhooks-runner.service'],
    ['systemd', 'deployment-webhooks.service'],
  ])(`is accepted by systemd, as one that is not exposed: --%s (${tried})`, async (flag, name) => {
    const { out } = await run(`--${flag} --domain apps.example.com --as daemon`, { PORT: '80' });
    const file = join(dataDir, name);
    writeFileSync(file, out);
    if (systemd === undefined) return;
    expect(execFileSync('systemd-analyze', ['verify', file], { encoding: 'utf8' })).toBe('');
    // Exits with 1 above the threshold: 50 is the upper end of what it calls OK.
    execFileSync('systemd-analyze', ['security', '--offline=true', '--threshold=50', file]);
  });
});

describe('the unit of the runner', () => {
  it('is started before the service, which never ends it, and runs on when the service is started again', async () => {
    const args = '--domain apps.example.com --as hooks';
    const { out: runner } = await run(`--runner ${args}`, { PORT: '80' });
    expect(runner).toContain(`\nExecStart=${process.execPath} bin/run.mjs runner\n`);
    expect(runner).toContain('\nExitType=cgroup\n');
    // It listens for the service.
    expect(runner).toContain('\nAmbientCapabilities=CAP_NET_BIND_SERVICE\n');
    const { out: service } = await run(`--systemd ${args}`);
    expect(service).toContain('\nAfter=network-online.target deployment-webhooks-runner.service\n');
    for (const unit of [runner, service]) expect(unit).toContain('\nEnvironment=RUNNER_LINGER=infinity\n');
  });
});

describe('the unit that tells of failures', () => {
  it('calls the command, in the folder in which it was printed, for the service of the data folder', async () => {
    const args = ['server', '--domain', 'apps.example.com', '--as', 'hooks', '--watch', './notify.sh "$HOOKS_APP" 5%'];
    const { out, err } = await cli(args, { env: { DATA_DIR: dataDir }, folder: '/srv/notify' });
    expect(err).toBe('');
    expect(out).toContain('\nUser=hooks\nWorkingDirectory=/srv/notify\n');
    const hooks = `${process.execPath} ${join(process.cwd(), 'bin/hooks.mjs')}`;
    expect(out).toContain(`\nExecStart=${hooks} watch --run "./notify.sh \\"$$HOOKS_APP\\" 5%%"\n`);
    if (systemd === undefined) return;
    const file = join(dataDir, 'deployment-webhooks-watch.service');
    writeFileSync(file, out.replace('/srv/notify', '/').replace('User=hooks', 'User=daemon'));
    expect(execFileSync('systemd-analyze', ['verify', file], { encoding: 'utf8' })).toBe('');
  });
});

describe('the Caddyfile', () => {
  it('asks the service before it gets a certificate, and passes everything to it', async () => {
    const { out } = await run('--caddy --domain apps.example.com', { PORT: '8090' });
    expect(out).toBe(`{
\ton_demand_tls {
\t\task http://127.0.0.1:8090/ask
\t}
}

https:// {
\ttls {
\t\ton_demand
\t}
\trequest_header -Forwarded
\trequest_header -X-Forwarded-*
\trequest_header X-Real-IP {remote_host}
\treverse_proxy 127.0.0.1:8090 {
\t\theader_up x-hooks-proxy ${proxyProof(dataDir).secret}
\t}
}
# Print this again after the first start: requests to applications then pass the service by.
`);
  });

  it('passes all names but those of the service to the applications, once their port is known', async () => {
    writeFileSync(join(dataDir, 'ports.json'), '{"platform":21234,"repositories":21235}');
    const { out } = await run('--caddy --domain apps.example.com', { PORT: '8090' });
    expect(out.slice(out.indexOf('\treverse_proxy'))).toBe(`\treverse_proxy @service 127.0.0.1:8090 {
\t\theader_up x-hooks-proxy ${proxyProof(dataDir).secret}
\t}
\treverse_proxy 127.0.0.1:21234
}
`);
    expect(out).toContain('\n\t@service host deploy.apps.example.com git.apps.example.com signals.apps.example.com\n');
    if (caddyVersion) await validate(out);
  });

  it('has the port of the public address, and the own authority of Caddy for names that are not public', async () => {
    const { out } = await run('--caddy --domain apps.test', { PUBLIC_URL: 'https://deploy.apps.test:8443' });
    expect(out).toContain('https://:8443 {');
    expect(out).toContain('issuer internal');
    const http = await run('--caddy --domain apps.localhost', { PUBLIC_URL: 'http://deploy.apps.localhost:8081' });
    expect(http.out).toMatch(/^http:\/\/:8081 \{\n\trequest_header -Forwarded\n/);
  });

  it.skipIf(caddyVersion === undefined).each([
    ['--domain apps.example.com', {}],
    ['--domain apps.test', { PUBLIC_URL: 'https://deploy.apps.test:8443' }],
    ['--domain apps.localhost', { PUBLIC_URL: 'http://deploy.apps.localhost:8081' }],
  ])(`is accepted by Caddy with %s %j (${caddyVersion})`, async (args, env) => {
    const { out } = await run(`--caddy ${args}`, env);
    await validate(out);
  });
});
