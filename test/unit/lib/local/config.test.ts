import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { chooseHost } from '../../../../functions/adapters/hosts/configuration.ts';
import { hosts } from '../../../../functions/adapters/hosts/registry.ts';
import { OperatorError } from '../../../../lib/files/errors.ts';
import { overridesIn, readConfig, withOverrides } from '../../../../lib/local/config/config.ts';
import { publicAddresses } from '../../../../lib/local/config/public-addresses.ts';
import { ConfigSchema, HOST_KINDS } from '../../../../lib/local/config/schema.ts';
import { settingsOf } from '../../../../lib/local/config/settings.ts';
import {
  addUser,
  listUsers,
  passwordFile,
  readLogin,
  removeUser,
  setPassword,
} from '../../../../lib/local/config/users.ts';
import { newFolder } from '../../../support/new-folder.ts';

const gitlab = {
  name: 'work',
  kind: 'gitlab',
  api: 'https://gitlab.example.com/api/v4',
  web: 'https://gitlab.example.com',
};

let dataDir: string;
beforeEach(() => {
  dataDir = newFolder('config');
});

const write = (config: unknown) =>
  writeFileSync(join(dataDir, 'config.json'), typeof config === 'string' ? config : JSON.stringify(config));
const refusal = (config: unknown): string => {
  write(config);
  try {
    readConfig(dataDir);
  } catch (error) {
    expect(error).toBeInstanceOf(OperatorError);
    return error instanceof Error ? error.message : '';
  }
  return 'it was accepted';
};

describe('The configuration of one machine', () => {
  it('is empty without a file', () => {
    expect(readConfig(dataDir)).toEqual({});
  });

  it('has the git host of the service beside those that it configures, and does not call it GitHub', () => {
    const { repositoryHosts } = settingsOf({}, { repositories: 3001 });
    expect(repositoryHosts.map(({ name, kind }) => [name, kind])).toEqual([
      ['local', 'git'],
      ['github', 'github'],
    ]);
    for (const kind of ['git', 'github']) {
      expect(chooseHost(repositoryHosts, kind, '127.0.0.1:3001')).toMatchObject({ name: 'local' });
    }
    expect(chooseHost(repositoryHosts, 'github', 'github.com')).toMatchObject({ name: 'github' });
    expect(refusal({ repositoryHosts: [{ ...gitlab, kind: 'git' }] })).toContain('kind must be one of github');
  });

  it('knows the kinds of hosts that the service knows', () => {
    expect([...HOST_KINDS]).toEqual(hosts.map(({ kind }) => kind));
  });

  it.each([
    [
      { defaultBranches: 'main' },
      /In .*config\.json, defaultBranches is not a known setting; known are repositoryHosts, /,
    ],
    [{ repositoryHosts: [{ ...gitlab, tokens: 'x' }] }, /repositoryHosts\[0\]\.tokens is not a known setting/],
    [
      { repositoryHosts: [{ name: 'work', kind: 'gitlab', api: gitlab.api }] },
      /repositoryHosts\[0\]\.web is missing\.$/,
    ],
    [{ repositoryHosts: [{ ...gitlab, kind: 'svn' }] }, /repositoryHosts\[0\]\.kind must be one of github, gitlab/],
    [{ repositoryHosts: [{ ...gitlab, name: 'github' }] }, /repositoryHosts\[0\]\.name must not be local or github/],
    [
      { repositoryHosts: [{ ...gitlab, web: 'http://gitlab.example.com' }] },
      /repositoryHosts\[0\]\.web must be an https/,
    ],
    [
      { repositoryHosts: [{ ...gitlab, api: 'http://gitlab.localhost:8080' }] },
      /repositoryHosts\[0\]\.api must be an https/,
    ],
    [{ repositoryHosts: [gitlab, gitlab] }, /repositoryHosts must not use a name twice/],
    [{ repositoryHosts: gitlab }, /repositoryHosts must be a list/],
    [{ defaultBranch: 'a b' }, /defaultBranch must be the name of a branch/],
    [{ holdMinutes: '60' }, /holdMinutes must be a number/],
    [{ previewDays: 0 }, /previewDays must be at least 1/],
    [{ reconcileMinutes: -1 }, /reconcileMinutes must be at least 0/],
    [{ holdMinutes: 0 }, /holdMinutes must be at least 1/],
    [{ allowedOrigins: ['*'] }, /allowedOrigins\[0\] must be an origin like/],
    [{ publicUrl: 'deploy.example.com' }, /publicUrl must be an https/],
    [{ appsDomain: 'https://apps.example.com' }, /appsDomain must be a domain like apps\.example\.com, in lower case/],
    [{ appsDomain: '*.example.com' }, /appsDomain must be a domain/],
    [{ appsDomain: '203.0.113.7' }, /appsDomain must be a domain/],
    [{ appsDomain: 'localhost' }, /appsDomain must be a domain/],
    [{ listen: 'example.com' }, /listen must be an IP address of this machine/],
    [{ trustedProxies: ['10.0.0.0/33'] }, /trustedProxies\[0\] must be an IP address or a network/],
    [{ hookSecrets: { 'demo/x': {} } }, /hookSecrets\.demo\/x must be \*, <user> or <user>\/<owner>\/<repository>/],
    [{ hookSecrets: { demo: { github: 'secret' } } }, /hookSecrets\.demo\.github must be a list of secrets/],
    [{ memoryLimits: { '*': '512' } }, /memoryLimits\.\* must be a number of MB/],
    [{ memoryLimits: { '*': 8 } }, /memoryLimits\.\* must be at least 32 MB/],
    [{ processLimits: { '*': 8 } }, /processLimits\.\* must be at least 16/],
    [{ isolation: 'on' }, /isolation must be auto, required or off/],
    [{ processLimits: { demo: 20.5 } }, /processLimits\.demo must be a whole number of processes/],
    [{ memoryLimits: { 'demo/a/b': 512 } }, /memoryLimits\.demo\/a\/b must be \*, <user> or <user>\/<application>/],
    [{ users: ['user'] }, /users\[0\] must be 1 to 39 letters/],
    [{ users: ['ann', 'ann'] }, /users must not name a user twice/],
    [[], /the content must be an object/],
    ['{ "holdMinutes": 60, }', /config\.json is not JSON: correct it/],
  ])('refuses %j and names what is wrong in one sentence', (config, sentence) => {
    const message = refusal(config);
    expect(message).toMatch(sentence);
    expect(message).toMatch(/^\S.*\.$/);
    expect(message.replaceAll(dataDir, '')).not.toMatch(/\. [A-Z]|\n/);
  });

  it.each(['constructor', 'demo/prototype'])('keeps what it says of %s', (name) => {
    const limits = { memoryLimits: { [name]: 64 }, processLimits: { [name]: 20 } };
    const config = { ...limits, hookSecrets: { constructor: { github: ['one'] } } };
    write(config);
    const { memoryLimits = {}, processLimits = {}, hookSecrets = {} } = readConfig(dataDir);
    expect([memoryLimits, processLimits, hookSecrets].map(Object.entries)).toEqual([
      [[name, 64]],
      [[name, 20]],
      [['constructor', { github: ['one'] }]],
    ]);
  });

  it('takes the domain, the public address, the address to listen on and the isolation from the environment first', () => {
    const env = { APPS_DOMAIN: 'apps.example.com', PUBLIC_URL: '', LISTEN: '::1', ISOLATION: 'off', PATH: '/bin' };
    const config = withOverrides({ appsDomain: 'other.example.com', holdMinutes: 5 }, overridesIn(env));
    expect(config).toEqual({ appsDomain: 'apps.example.com', listen: '::1', isolation: 'off', holdMinutes: 5 });
    expect(() => withOverrides({}, overridesIn({ PUBLIC_URL: 'deploy.example.com' }))).toThrow(
      /^PUBLIC_URL must be an https:\/\/ address/,
    );
  });

  it.each([
    [
      { appsDomain: 'apps.example.com' },
      'https://deploy.apps.example.com',
      'wss://signals.apps.example.com',
      'https://git.apps.example.com',
    ],
    [
      { appsDomain: 'a.test', publicUrl: 'https://deploy.test/' },
      'https://deploy.test',
      'wss://signals.a.test',
      'https://git.a.test',
    ],
    [
      { appsDomain: 'apps.localhost', publicUrl: 'http://deploy.apps.localhost:8081' },
      'http://deploy.apps.localhost:8081',
      'ws://signals.apps.localhost:8081',
      'http://git.apps.localhost:8081',
    ],
    [
      { publicUrl: 'https://deploy.example.com/hooks/' },
      'https://deploy.example.com/hooks',
      'wss://deploy.example.com/hooks/signals',
      undefined,
    ],
  ])('%j gives the public addresses %s, %s and %s', (config, service, signals, repositories) => {
    expect(publicAddresses(config)).toMatchObject({ service, signals, ...(repositories && { repositories }) });
  });

  it('never quotes a secret in an error', () => {
    expect(refusal({ hookSecrets: { demo: { github: 'sesame-4711' } } })).not.toContain('sesame');
    expect(refusal('{"hookSecrets": {"demo": {"github": ["sesame-4711"]')).not.toContain('sesame');
  });

  it('has its settings documented in the README, each once and no other', () => {
    const readme = readFileSync(new URL('../../../../lib/local/README.md', import.meta.url), 'utf8');
    const [, table = ''] = readme.split(/<!-- \/?settings -->/);
    const told = [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
    expect(told).toEqual(Object.keys(ConfigSchema.entries));
  });
});

describe('The users of one machine', () => {
  it('are the first one, with a password that is made once, and those that are added', () => {
    const { password } = readLogin(dataDir);
    expect(readLogin(dataDir)).toEqual({ user: 'demo', password });
    write({ holdMinutes: 5 });
    const ann = addUser(dataDir, 'ann');
    expect(ann.password).toMatch(/^[\w-]{24}$/);
    expect(listUsers(dataDir)).toEqual(['demo', 'ann']);
    expect(readLogin(dataDir, 'ann')).toEqual(ann);
    expect(readConfig(dataDir)).toEqual({ holdMinutes: 5, users: ['ann'] });
    expect(statSync(passwordFile(dataDir, 'ann')).mode & 0o777).toBe(0o600);
    expect(statSync(join(dataDir, 'config.json')).mode & 0o777).toBe(0o600);
  });

  it('get a password when the configuration names them without one', () => {
    write({ users: ['ben'] });
    expect(readLogin(dataDir, 'ben').password).toMatch(/^[\w-]{24}$/);
  });

  it.each(['demo', 'ann'])('keep the password that the operator wrote, in a file for its owner only: %s', (user) => {
    write({ users: ['ann'] });
    const file = passwordFile(dataDir, user);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, 'correct horse\n', { mode: 0o644 });
    expect(readLogin(dataDir, user).password).toBe('correct horse');
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['correct horse\n', 0o600]);
  });

  it('can be removed, and get another password when they are added again', () => {
    const { password } = addUser(dataDir, 'ann');
    removeUser(dataDir, 'ann');
    expect(listUsers(dataDir)).toEqual(['demo']);
    expect(addUser(dataDir, 'ann').password).not.toBe(password);
  });

  it.each([
    ['the removal of the first one', () => removeUser(dataDir, 'demo'), /demo is there from the start/],
    ['the removal of nobody', () => removeUser(dataDir, 'eve'), /There is no user eve/],
    ['a name that is taken', () => addUser(dataDir, 'demo'), /There is a user demo already/],
    ['a name that no owner can have', () => addUser(dataDir, 'a_b'), /A user name has 1 to 39 letters/],
    ['a password with a line break', () => addUser(dataDir, 'ann', 'a\nb'), /A password has 1 to 1024 characters/],
    ['a new password of nobody', () => setPassword(dataDir, 'eve'), /There is no user eve/],
  ])('are not changed by %s', (_, change, sentence) => {
    expect(change).toThrow(sentence);
    expect(change).toThrow(OperatorError);
    expect(listUsers(dataDir)).toEqual(['demo']);
  });
});
