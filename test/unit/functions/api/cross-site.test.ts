import { describe, expect, it } from 'vitest';
import { refuseCrossSite } from '../../../../functions/api/cross-site.ts';

function check(headers: Readonly<Record<string, string>>, patch: { method?: string; resource?: string } = {}): void {
  const request = { method: 'POST', resource: '/1/deploy', base: 'https://hooks.example.com/prod', ...patch };
  refuseCrossSite({ ...request, headers: { host: 'hooks.example.com', ...headers } });
}

describe('a request that changes something', () => {
  it('is accepted from programs, which say nothing of a site', () => {
    expect(() => check({})).not.toThrow();
    // fetch of Node sends this header, and curl -d the content type.
    expect(() =>
      check({ 'sec-fetch-mode': 'cors', 'content-type': 'application/x-www-form-urlencoded' }),
    ).not.toThrow();
  });

  it('is accepted from a page of the service and from the address bar', () => {
    for (const site of ['same-origin', 'none']) expect(() => check({ 'sec-fetch-site': site })).not.toThrow();
    expect(() => check({ origin: 'https://hooks.example.com' })).not.toThrow();
    expect(() => check({ origin: 'https://hooks.example.com', host: 'internal:8080' })).not.toThrow();
    expect(() => check({ origin: 'http://127.0.0.1:17080', host: '127.0.0.1:17080' })).not.toThrow();
  });

  it.each([
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site', origin: 'https://shop.example.com' },
    { 'sec-fetch-site': 'cross-site', origin: 'https://hooks.example.com' },
    { origin: 'https://evil.example.org' },
    { origin: 'http://127.0.0.1:41317', host: '127.0.0.1:17080' },
    { origin: 'null' },
    { origin: '' },
  ])('is refused from a page of another site: %j', (headers) => {
    expect(() => check(headers)).toThrow(expect.objectContaining({ code: 'deploy:auth:bad_creds', status: 401 }));
    for (const method of ['POST', 'PUT', 'DELETE']) {
      expect(() => check(headers, { method, resource: '/1/apps/{user}/{application}' })).toThrow(
        expect.objectContaining({ code: 'mw:auth:unauthorized' }),
      );
    }
  });

  it('is only meant: links of other sites may be followed', () => {
    for (const method of ['GET', 'HEAD', 'OPTIONS'])
      expect(() => check({ 'sec-fetch-site': 'cross-site' }, { method })).not.toThrow();
  });
});
