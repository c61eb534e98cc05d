import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { clientAddress } from '../../../../lib/http/trusted-addresses.ts';
import { proxiesOf } from '../../../../lib/local/config/public-addresses.ts';
import type { Config } from '../../../../lib/local/config/schema.ts';

/** A request over a connection from that address. */
function request(remoteAddress: string, forwarded?: string): IncomingMessage {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return { headers, socket: { remoteAddress } } as IncomingMessage;
}

describe('The address of a client', () => {
  const from = (config: Config, remote: string, forwarded?: string) =>
    clientAddress(request(remote, forwarded), proxiesOf(config).proxies);

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
