import { statSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { clientAddress } from '../../../../lib/http/trusted-addresses.ts';
import { proxyProof } from '../../../../lib/local/config/proxy-proof.ts';
import { proxiesOf } from '../../../../lib/local/config/public-addresses.ts';
import type { Config } from '../../../../lib/local/config/schema.ts';
import { newFolder } from '../../../support/new-folder.ts';

const SECRET = 'the secret of the printed Caddyfile';

/** A request over a connection from that address. */
function request(remoteAddress: string, forwarded?: string): IncomingMessage {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return { headers, socket: { remoteAddress } } as IncomingMessage;
}

function proof(isNeeded: boolean) {
  const given = vi.fn();
  return { secret: SECRET, isNeeded: () => isNeeded, given };
}

/** Whether what a request says of its client is believed, and whether it has the header of the proof afterwards. */
function believed(config: Config, { from = '127.0.0.1', secret, needed = true }: Asked): boolean {
  const headers: Record<string, string> = secret === undefined ? {} : { 'x-hooks-proxy': secret };
  const rawHeaders = Object.entries(headers).flatMap(([name, value]) => [name.toUpperCase(), value]);
  const asked = { headers, rawHeaders, socket: { remoteAddress: from } } as unknown as IncomingMessage;
  const { trusts } = proxiesOf(config, proof(needed));
  const isTrusted = trusts(asked);
  if (hasProxy(config)) expect([asked.headers, asked.rawHeaders]).toEqual([{}, []]);
  return isTrusted;
}

interface Asked {
  readonly from?: string;
  readonly secret?: string;
  readonly needed?: boolean;
}

function hasProxy({ publicUrl, appsDomain, trustedProxies }: Config): boolean {
  return [publicUrl, appsDomain, trustedProxies].some((setting) => setting !== undefined);
}

describe('What a program of this machine says of a client', () => {
  const config = { appsDomain: 'apps.example.com' };

  it('is believed when it has the secret of the printed Caddyfile', () => {
    expect(believed(config, { secret: SECRET })).toBe(true);
    for (const secret of [undefined, '', 'x', SECRET.slice(1), `${SECRET}, ${SECRET}`]) {
      expect(believed(config, { ...(secret !== undefined && { secret }) })).toBe(false);
    }
    for (const from of ['::1', '127.0.0.2', '::ffff:127.0.0.1', '198.51.100.7'])
      expect(believed(config, { from })).toBe(false);
  });

  it('is believed where a Caddyfile of before has none, until a request has come with it', () => {
    expect(believed(config, { needed: false })).toBe(true);
    expect(believed(config, { needed: false, from: '198.51.100.7' })).toBe(false);
    const dataDir = newFolder('proof');
    writeFileSync(join(dataDir, 'service.db'), '');
    const before = proxyProof(dataDir);
    expect(before.isNeeded()).toBe(false);
    before.given();
    expect([before.isNeeded(), proxyProof(dataDir).isNeeded()]).toEqual([true, true]);
    expect(proxyProof(dataDir).secret).toBe(before.secret);
  });

  it('is believed with the secret only in a new data folder, where only its owner can read it', () => {
    const dataDir = newFolder('proof');
    const { secret, isNeeded } = proxyProof(dataDir);
    expect(isNeeded()).toBe(true);
    expect(secret).toMatch(/^[\w-]{32}$/);
    expect(statSync(join(dataDir, 'proxy.json')).mode & 0o777).toBe(0o600);
  });

  it('is believed of the proxies in the configuration, and names no client where there are none', () => {
    expect(believed({ trustedProxies: ['10.0.0.0/8'] }, { from: '10.1.2.3' })).toBe(true);
    expect(believed({ trustedProxies: ['127.0.0.1'] }, {})).toBe(true);
    expect(believed({}, {})).toBe(true);
    expect(proxiesOf({}, proof(true)).proxies).toBeUndefined();
  });
});

describe('The address of a client', () => {
  const from = (config: Config, remote: string, forwarded?: string) =>
    clientAddress(request(remote, forwarded), proxiesOf(config, proof(true)).proxies);

  it('is that of its connection, whatever it says, where no proxy is configured', () => {
    expect(from({}, '127.0.0.1', '203.0.113.9')).toBe('127.0.0.1');
    expect(from({ listen: '0.0.0.0' }, '198.51.100.7', '203.0.113.9')).toBe('198.51.100.7');
  });

  it.each<Config>([
    { publicUrl: 'https://deploy.example.com' },
    { appsDomain: 'apps.example.com' },
    { trustedProxies: [] },
  ])('is what the proxy of this machine says with %j', (config) => {
    expect(from(config, '127.0.0.1', '203.0.113.9')).toBe('203.0.113.9');
    expect(from(config, '::1', '2001:db8::9')).toBe('2001:db8::9');
    expect(from(config, '127.0.0.1')).toBe('127.0.0.1');
    expect(from(config, '198.51.100.7', '203.0.113.9')).toBe('198.51.100.7');
  });

  it('is the last one that is no proxy: what stands before it was sent by the client', () => {
    const config = { trustedProxies: ['10.0.0.0/8'] };
    expect(from(config, '127.0.0.1', '192.0.2.1, 203.0.113.9, 10.1.2.3')).toBe('203.0.113.9');
    expect(from(config, '10.1.2.3', '192.0.2.1, 203.0.113.9')).toBe('203.0.113.9');
    expect(from(config, '10.1.2.3', '203.0.113.9, unknown')).toBe('10.1.2.3');
  });

  it.each([
    ['203.0.113.9:51234', '203.0.113.9'],
    ['[2001:db8::9]:51234', '2001:db8::9'],
    ['[2001:db8::9]', '2001:db8::9'],
    ['192.0.2.1,203.0.113.9 ,10.1.2.3:80', '203.0.113.9'],
    ['::ffff:10.1.2.3', '::ffff:10.1.2.3'],
    ['192.0.2.1, ::ffff:10.1.2.3', '192.0.2.1'],
  ])('is found in %j of a proxy', (forwarded, address) => {
    expect(from({ trustedProxies: ['10.0.0.0/8'] }, '10.1.2.3', forwarded)).toBe(address);
    expect(from({ trustedProxies: ['10.0.0.0/8'] }, '::ffff:10.1.2.3', forwarded)).toBe(address);
  });

  it.each(['', ',', 'unknown', '_hidden', '203.0.113', '203.0.113.9:', '[203.0.113.9', '2001:db8::9:http', '\0', '%'])(
    'is that of the proxy when it says %j, which is no address',
    (forwarded) => {
      expect(from({ trustedProxies: ['10.0.0.0/8'] }, '10.1.2.3', forwarded)).toBe('10.1.2.3');
      expect(from({ trustedProxies: ['10.0.0.0/8'] }, '10.1.2.3', `192.0.2.1, ${forwarded}`)).toBe('10.1.2.3');
    },
  );
});
