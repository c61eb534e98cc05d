import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addressKind } from '../../../../../../functions/adapters/hosts/http/address.ts';
import {
  addressPolicy,
  RefusedAddress,
  type ResolveAll,
} from '../../../../../../functions/adapters/hosts/http/address-policy.ts';
import { createHttpClient } from '../../../../../../functions/adapters/hosts/http/http-client.ts';
import { type HttpServer, httpServer } from '../../../../../support/service/http-server.ts';

const githubCom = { api: 'https://api.github.com', web: 'https://github.com' };

describe('addressKind', () => {
  it.each(['140.82.121.6', '2606:50c0:8000::154', '::ffff:140.82.121.6', '64:ff9b::8c52:7906'])(
    '%s is public',
    (ip) => {
      expect(addressKind(ip)).toBe('public');
    },
  );
  it.each([
    ...['127.0.0.1', '127.9.9.9', '10.0.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1', '::1', 'fd12::1'],
    ...['::ffff:10.0.0.1', '::ffff:7f00:1', '64:ff9b::10.0.0.1', '64:ff9b::a00:1'],
  ])('%s is private', (ip) => {
    expect(addressKind(ip)).toBe('private');
  });
  it.each([
    ...[
      '169.254.169.254',
      '0.0.0.0',
      '224.0.0.1',
      '255.255.255.255',
      '::',
      'fe80::1',
      'ff02::1',
      'fd00:ec2::254',
      'fd00:ec2::254%1',
    ],
    ...['::ffff:169.254.169.254', '64:ff9b::a9fe:a9fe', '2002:7f00:1::', 'localhost', '', '1.2.3'],
    ...[
      '0177.0.0.1',
      '64:ff9b:1::1',
      '2001::1',
      '2001:db8::1',
      '192.0.2.1',
      '198.18.0.1',
      'fe80::1%1',
      'fec0::1',
      '100::1',
    ],
  ])('%s is never called', (ip) => {
    expect(addressKind(ip)).toBe('never');
  });
});

describe('The address policy of a host', () => {
  it.each(['https://api.github.com/user', 'https://github.com/x', 'https://codeload.github.com/a/b'])(
    'allows %s',
    (url) => {
      expect(() => addressPolicy(githubCom).check(new URL(url))).not.toThrow();
    },
  );
  it.each([
    ...[
      'http://api.github.com/',
      'https://api.github.com:8443/',
      'https://api.github.com.evil.test/',
      'ftp://github.com/',
    ],
    ...[
      'https://user:pass@github.com/',
      'https://evil.test/',
      'https://127.0.0.1/',
      'https://raw.githubusercontent.com/',
    ],
  ])('rejects %s', (url) => {
    expect(() => addressPolicy(githubCom).check(new URL(url))).toThrow(RefusedAddress);
  });
  it('allows the configured download hosts', () => {
    const policy = addressPolicy({
      api: 'https://git.corp.test/api/v3',
      web: 'https://git.corp.test',
      downloadHosts: ['dl.corp.test'],
    });
    for (const host of ['git.corp.test', 'codeload.git.corp.test', 'dl.corp.test']) {
      expect(() => policy.check(new URL(`https://${host}/x`))).not.toThrow();
    }
  });
  it('allows a literal private download address only with privateNetwork', () => {
    const options = { ...githubCom, downloadHosts: ['10.0.0.9'] };
    expect(() => addressPolicy(options).check(new URL('https://10.0.0.9/'))).toThrow('not a public address');
    expect(() => addressPolicy({ ...options, privateNetwork: true }).check(new URL('https://10.0.0.9/'))).not.toThrow();
  });
});

describe('A host name that resolves to a private address', () => {
  let asked = 0;
  let server: HttpServer;
  beforeEach(async () => {
    asked = 0;
    server = await httpServer((_, response) => {
      asked += 1;
      response.end('inside');
    });
  });
  afterEach(() => server.close());

  async function ask(options: { privateNetwork?: boolean; address: string }) {
    const url = new URL(server.url.replace('127.0.0.1', 'git.corp.test'));
    const resolve: ResolveAll = (_hostname, _options, callback) =>
      callback(null, [{ address: options.address, family: 4 }]);
    const policy = addressPolicy({ api: url.origin, web: url.origin, ...options, resolve });
    return createHttpClient(policy)({ method: 'GET', url, headers: {} });
  }

  it('is rejected with an error that names the setting privateNetwork', async () => {
    await expect(ask({ address: '127.0.0.1' })).rejects.toThrow(
      'git.corp.test resolves to 127.0.0.1, which is not a public address; if that is meant, set "privateNetwork": true',
    );
    expect(asked).toBe(0);
  });
  it('is connected to with privateNetwork, unless it is link-local', async () => {
    const response = await ask({ address: '127.0.0.1', privateNetwork: true });
    expect(response.status).toBe(200);
    response.discard();
    await expect(ask({ address: '169.254.169.254', privateNetwork: true })).rejects.toThrow(RefusedAddress);
  });
});
