import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { platformLogin } from '../../../lib/local/platform-login.ts';
import { type Platform, startPlatform } from '../../../lib/platform/platform.ts';
import { startArguments } from './platform-name.ts';
import { remoteUsers } from './remote-platform.ts';

const token = 'token of the service';
const ann = { user: 'ann', password: 'password of ann' };
let folder = '';
let platform: Platform;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'remote-'));
  platform = await startPlatform({ dataDir: join(folder, 'platform'), serviceToken: token });
  await platform.ensureUser(ann);
});
afterAll(async () => {
  await platform?.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('The arguments of a start on a platform elsewhere', () => {
  const url = 'https://platform.example.com';
  const read = (words: readonly string[], env = {}) =>
    startArguments(['--platform', 'http', ...words], { env: { PLATFORM_TOKEN: token, ...env }, folder });

  it('are its address, and its token from the environment', () => {
    expect(read(['--platform-url', `${url}/`])).toEqual({
      platform: 'http',
      strict: false,
      remote: { url, token },
    });
    expect(read(['--platform-url=http://127.0.0.1:9000']).remote?.url).toBe('http://127.0.0.1:9000');
  });

  it('or the token from a file that only its owner may read', () => {
    const file = join(folder, 'token');
    writeFileSync(file, `${token}\n`, { mode: 0o600 });
    const words = ['--platform-url', url, '--platform-token-file', 'token'];
    expect(read(words, { PLATFORM_TOKEN: undefined }).remote).toEqual({ url, token });
    chmodSync(file, 0o644);
    expect(() => read(words)).toThrow(`Others may read ${file}`);
  });

  it.each([
    [[]],
    [['--platform-url', 'http://platform.example.com']],
    [['--platform-url', 'http://127.0.0.1.example.com']],
    [['--platform-url', 'https://ann:secret@platform.example.com']],
    [['--platform-url', 'platform.example.com']],
    [['--platform-url', 'https://platform.example.com/?token=a']],
  ])('%j have no address that passwords may be sent to', (words) => {
    expect(() => read(words)).toThrow('--platform http needs --platform-url, an https address');
  });

  it('need a token, and belong to no other platform', () => {
    expect(() => read(['--platform-url', url], { PLATFORM_TOKEN: '' })).toThrow(
      'PLATFORM_TOKEN or --platform-token-file',
    );
    const elsewhere = () => startArguments(['--platform-url', url], { env: {}, folder });
    expect(elsewhere).toThrow('--platform-url and --platform-token-file are for --platform http.');
  });
});

describe('Users of a platform elsewhere', () => {
  it('are those that it has, with the same password; nobody is made or removed there', async () => {
    const users = remoteUsers({ url: platform.url, token }, folder);
    await users.ensureUser(ann);
    await users.keepUsers([]);
    await users.ensureUser(ann);
  });

  it('with another password, or unknown there, are refused by name, without the password', async () => {
    const users = remoteUsers({ url: platform.url, token }, folder);
    const refused = await users.ensureUser({ ...ann, password: 'canary' }).catch((error: Error) => error.message);
    expect(refused).toBe(
      `The platform at ${platform.url} refuses the password of the user ann: it must be the same there and in the data folder.`,
    );
    await expect(users.ensureUser({ user: 'bob', password: 'canary' })).rejects.toThrow('of the user bob');
  });

  it('say when the token is not the one that the platform takes', async () => {
    const users = remoteUsers({ url: platform.url, token: 'another token, long enough' }, folder);
    await expect(users.ensureUser(ann)).rejects.toThrow(
      `The platform at ${platform.url} refuses the token of the service.`,
    );
  });

  it('say when nothing answers', async () => {
    const users = remoteUsers({ url: 'http://127.0.0.1:1', token }, folder);
    await expect(users.ensureUser(ann)).rejects.toThrow('There is no platform that answers at http://127.0.0.1:1');
  });

  it('have one API token for each service that posts their pushes, made anew', async () => {
    const renew = (dataDir: string) => remoteUsers({ url: platform.url, token }, dataDir).renewToken(ann, 'git-push');
    const authorized = async (secret: string) => platformLogin(platform.url)('ann', secret);
    const [first, second, other] = [await renew('one'), await renew('one'), await renew('other')];
    expect([await authorized(first), await authorized(second), await authorized(other)]).toEqual([false, true, true]);
  });

  it('have their password where a platform has no tokens', async () => {
    const without = createServer((_, response) => response.writeHead(404).end('{}'));
    await new Promise<void>((resolve) => without.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(without.address() as AddressInfo).port}`;
    expect(await remoteUsers({ url, token }, folder).renewToken(ann, 'git-push')).toBe(ann.password);
    await new Promise((resolve) => without.close(resolve));
  });
});
