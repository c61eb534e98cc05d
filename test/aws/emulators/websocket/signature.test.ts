import { describe, expect, it } from 'vitest';
import { signedRequest } from '../../../aws-local/access/check.ts';
import { refusalOf } from '../../../aws-local/access/signature.ts';

const credentials = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
  service: 'execute-api',
};
const signedAt = Date.parse('2026-03-01T10:00:00Z');

/** Returns why the request is refused. */
function verify(url: string, headers: Record<string, string>, now = signedAt): Promise<string | undefined> {
  return refusalOf(signedRequest({ method: 'GET', url, headers }), credentials, now);
}

// Both signatures were also computed without the library, from the canonical request of AWS's documentation.
describe('Verifying a signature that was computed elsewhere', () => {
  const host = 'example.com';
  const presigned =
    '/prod?user=%C3%85nn%20O%E2%80%99Neil%2B*&tag=b&tag=a&X-Amz-Algorithm=AWS4-HMAC-SHA256' +
    '&X-Amz-Credential=AKIDEXAMPLE%2F20260301%2Fus-east-1%2Fexecute-api%2Faws4_request&X-Amz-Date=20260301T100000Z' +
    '&X-Amz-Expires=60&X-Amz-SignedHeaders=host' +
    '&X-Amz-Signature=c60a2953638e997785b1ab86bc0ba27a0f2cbfc8ac26a7b9c0aee69278749edf';
  const signed = {
    host,
    'x-amz-date': '20260301T100000Z',
    'x-amz-content-sha256': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    authorization:
      'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260301/us-east-1/execute-api/aws4_request, ' +
      'SignedHeaders=host;x-amz-content-sha256;x-amz-date, ' +
      'Signature=bf867989bb0c2fe5ab6af2df1d279adea7f81a30f5bc64fe4423a868ee08a947',
  };

  it('accepts a presigned query with several values of a name, and rejects another value', async () => {
    expect(await verify(presigned, { host })).toBeUndefined();
    const other = presigned.replace('tag=b', 'tag=c');
    expect(await verify(other, { host })).toBe('the signature does not match the request');
  });

  it('accepts a signature in the Authorization header, and rejects it for another path or host', async () => {
    expect(await verify('/prod', signed)).toBeUndefined();
    expect(await verify('/test', signed)).toBeDefined();
    expect(await verify('/prod', { ...signed, host: 'example.org' })).toBeDefined();
  });

  it('rejects a signature of another access key, even one made with the same secret', async () => {
    const authorization = signed.authorization.replace('AKIDEXAMPLE', 'AKIDOTHER');
    const refusal = await verify('/prod', { ...signed, authorization });
    expect(refusal).toBe('the credential is not of this key, day and service');
  });

  it('rejects a signature once it has expired, and one from the future', async () => {
    expect(await verify(presigned, { host }, signedAt + 61_000)).toBe('the signature has expired');
    expect(await verify('/prod', signed, signedAt - 301_000)).toBe('the signature is not valid yet');
  });
});
