import { describe, expect, it } from 'vitest';
import { appEnvironment, buildEnvironment } from '../../../../lib/builder/process/child-environment.ts';

const BUILD = {
  release: { root: '/app', folder: '/app', bins: [] },
  caches: '/caches',
  variables: {},
};

function passed(own: Readonly<Record<string, string>>): readonly string[] {
  const env = buildEnvironment(own, BUILD);
  return Object.keys(own).filter((name) => env[name] === own[name]);
}

describe('The environment of a build', () => {
  it('has the id of its commit, unless the application has a variable of that name', () => {
    const release = { ...BUILD.release, commit: 'a1' };
    const ofBuild = (variables: Readonly<Record<string, string>>) =>
      buildEnvironment({}, { ...BUILD, release, variables }).SOURCE_VERSION;
    expect([ofBuild({}), ofBuild({ SOURCE_VERSION: 'mine' })]).toEqual(['a1', 'mine']);
    expect(buildEnvironment({}, BUILD)).not.toHaveProperty('SOURCE_VERSION');
  });

  it('has the settings of npm that say how packages are fetched', () => {
    const own = {
      npm_config_registry: 'https://registry.example',
      NPM_CONFIG_REGISTRY: 'https://registry.example',
      npm_config_proxy: 'http://proxy.example',
      npm_config_https_proxy: 'http://proxy.example',
      npm_config_noproxy: '.example',
      npm_config_cafile: '/ca.pem',
      npm_config_strict_ssl: 'false',
      npm_config_fetch_retries: '0',
      npm_config_prefer_offline: 'true',
      npm_config_sharp_binary_host: 'https://mirror.example',
      npm_config_electron_mirror: 'https://mirror.example',
      npm_config_nodedir: '/usr/include/node',
      npm_config_python: '/usr/bin/python3',
    };
    expect(passed(own)).toEqual(Object.keys(own));
  });

  it('has none of the settings of npm that decide what is installed and which scripts run', () => {
    const own = {
      npm_config_ignore_scripts: 'true',
      NPM_CONFIG_IGNORE_SCRIPTS: 'true',
      npm_config_omit: 'dev',
      npm_config_include: 'optional',
      npm_config_production: 'true',
      npm_config_legacy_peer_deps: 'true',
      npm_config_engine_strict: 'true',
      npm_config_workspace: 'web',
      npm_config_prefix: '/usr',
      npm_config_local_prefix: '/srv/deployment-webhooks',
      npm_config_global: 'true',
      npm_config_dry_run: 'true',
      npm_config_script_shell: '/bin/zsh',
      npm_config_cache: '/home/ann/.npm',
      npm_config_user_agent: 'npm/10',
      npm_config_userconfig: '/home/ann/.npmrc',
      npm_config_globalconfig: '/etc/npmrc',
      npm_config_key: 'a private key',
      npm_lifecycle_event: 'start',
      npm_package_name: 'deployment-webhooks',
    };
    expect(passed(own)).toEqual([]);
  });

  it('has a script that installs in another folder get development dependencies, and not the installation itself', () => {
    const release = { root: '/r', folder: '/r', bins: [] };
    const included = (isInstallation: boolean) =>
      buildEnvironment({}, { release, caches: '/c', variables: {}, isInstallation }).npm_config_include;
    expect([included(false), included(true)]).toEqual(['dev', undefined]);
  });

  it('has the setting of Yarn 1 for that, which later versions refuse, without these only', () => {
    expect(buildEnvironment({}, BUILD).YARN_PRODUCTION).toBe('false');
    expect(buildEnvironment({}, { ...BUILD, linker: 'node-modules' }).YARN_PRODUCTION).toBeUndefined();
  });

  it('tells Next where the repository ends, above which there are lockfiles of the service', () => {
    const env = buildEnvironment({}, { ...BUILD, release: { root: '/app', folder: '/app/web', bins: [] } });
    expect(env.NEXT_PRIVATE_OUTPUT_TRACE_ROOT).toBe('/app');
  });

  it('has all caches in the folder of the user, so that no other user’s build writes into them', () => {
    const own = { HOME: '/home/ann', XDG_CACHE_HOME: '/home/ann/.cache', npm_config_cache: '/home/ann/.npm' };
    const env = Object.entries(buildEnvironment(own, { ...BUILD, caches: '/caches/ada' }));
    const caches = env.filter(([name]) => /cache|store|XDG|YARN_GLOBAL/i.test(name));
    expect(caches.map(([name]) => name)).toEqual(expect.arrayContaining(['npm_config_cache', 'YARN_CACHE_FOLDER']));
    for (const [, path] of caches) expect(path).toMatch(/^\/caches\/ada\//);
  });

  it('has NODE_OPTIONS of the application, but not while its packages are installed', () => {
    const variables = { NODE_OPTIONS: '--require inst', A: '1' };
    expect(buildEnvironment({}, { ...BUILD, variables }).NODE_OPTIONS).toMatch(/guard\.cjs" --require inst$/);
    const installing = buildEnvironment({}, { ...BUILD, variables, isInstallation: true });
    expect(installing).toMatchObject({ A: '1', NODE_OPTIONS: expect.not.stringContaining('inst ') });
    expect(installing.NODE_OPTIONS).toMatch(/guard\.cjs"$/);
  });

  it('names the headers of its Node, also where the machine names others, unless the application does', () => {
    const own = { npm_config_nodedir: '/usr' };
    const env = (more: object) => buildEnvironment(own, { ...BUILD, ...more }).npm_config_nodedir;
    expect(env({})).toBe('/usr');
    expect(env({ headers: '/tools/node' })).toBe('/tools/node');
    expect(env({ headers: '/tools/node', variables: { npm_config_nodedir: '/own' } })).toBe('/own');
  });

  it('has the settings that the variables of the application are', () => {
    const variables = { NPM_CONFIG_PRODUCTION: 'false', npm_config_ignore_scripts: 'true' };
    const own = { npm_config_ignore_scripts: 'false' };
    expect(buildEnvironment(own, { ...BUILD, variables })).toMatchObject(variables);
  });
});

describe('The environment of an application', () => {
  const env = (packages: readonly string[], variables = {}) =>
    appEnvironment({}, { ...BUILD, variables, dataDir: '/data', manifest: { scripts: {}, packages }, script: '' });

  it('names the caches that its builds fill, unless it has others', () => {
    const place = { XDG_CACHE_HOME: '/own' };
    expect(env([]).XDG_CACHE_HOME).toBe(buildEnvironment({}, BUILD).XDG_CACHE_HOME);
    expect(env([], place)).toMatchObject(place);
  });

  it('has what the server of its framework needs behind a proxy, unless it says otherwise', () => {
    const headers = { PROTOCOL_HEADER: 'x-forwarded-proto', HOST_HEADER: 'x-forwarded-host' };
    expect(env(['@sveltejs/kit'])).toMatchObject(headers);
    expect(env(['@sveltejs/kit'], { PROTOCOL_HEADER: 'x-other' })).toMatchObject({ PROTOCOL_HEADER: 'x-other' });
    expect(env(['express'])).not.toHaveProperty('PROTOCOL_HEADER');
  });
});
