import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildEnvironment } from '../../../../lib/builder/process/child-environment.ts';
import { writeNpmSettings } from '../../../../lib/builder/process/npm-settings.ts';
import { newFolder } from '../../../support/new-folder.ts';

function homes() {
  const place = newFolder('npm');
  const [HOME, home] = [join(place, 'operator'), join(place, 'release')];
  for (const folder of [HOME, home]) mkdirSync(folder);
  return { place, HOME, home, settings: join(home, '.npmrc') };
}

describe('what a build knows of the settings of npm', () => {
  it('is where packages come from, and no credentials', async () => {
    const { place, HOME, home, settings } = homes();
    const userconfig = [
      'registry = https://ann:secret@registry.example/npm/',
      '@acme:registry="https://secret@acme.example"',
      '//registry.example/npm/:_authToken=secret',
      '//registry.example/npm/:_password = secret',
      '//acme.example/:certfile=/home/ann/secret.pem',
      '_auth=secret',
      'email=secret@example.com',
      'key="secret"',
      'strict-ssl=false',
      'ca[]="one"',
      'ignore-scripts=true',
      '; registry=https://secret.example',
    ];
    writeFileSync(join(HOME, '.npmrc'), userconfig.join('\r\n'));
    writeFileSync(join(place, 'global'), 'https-proxy=http://proxy.example\n_authToken=secret\n');
    await writeNpmSettings({ HOME, npm_config_globalconfig: join(place, 'global') }, home);
    expect(readFileSync(settings, 'utf8').split('\n')).toEqual([
      'https-proxy=http://proxy.example',
      'registry=https://registry.example/npm/',
      '@acme:registry="https://acme.example"',
      'strict-ssl=false',
      'ca[]="one"',
      '',
    ]);
  });

  it('is not written to what a link of an earlier build leads to', async () => {
    const { place, HOME, home, settings } = homes();
    const other = join(place, 'other');
    writeFileSync(other, 'kept');
    symlinkSync(other, settings);
    writeFileSync(join(HOME, '.npmrc'), 'registry=https://registry.example\n');
    await writeNpmSettings({ HOME, npm_config_globalconfig: join(HOME, 'none') }, home);
    expect([readFileSync(other, 'utf8'), readFileSync(settings, 'utf8')]).toEqual([
      'kept',
      'registry=https://registry.example\n',
    ]);
  });

  it('is nothing where there are none', async () => {
    const { HOME, home, settings } = homes();
    await writeNpmSettings({ HOME, npm_config_globalconfig: join(HOME, 'none') }, home);
    await writeNpmSettings({ npm_config_globalconfig: join(HOME, 'none') }, home);
    expect(existsSync(settings)).toBe(false);
  });

  it('has no login of a registry in a variable either', () => {
    const own = {
      npm_config_registry: 'https://ann:secret@registry.example/',
      https_proxy: 'http://ann:needed@proxy.example',
    };
    const release = { root: '/app', folder: '/app', bins: [] };
    const env = buildEnvironment(own, { release, caches: '/caches', variables: {} });
    expect(env).toMatchObject({ npm_config_registry: 'https://registry.example/', https_proxy: own.https_proxy });
  });
});
