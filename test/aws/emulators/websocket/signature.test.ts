import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { readRequest } from '../../../aws-local/gateway/request.ts';
import { verifySignature } from '../../../aws-local/websocket/handshake.ts';

const credentials = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
  service: 'execute-api',
};
const signedAt = Date.parse('2026-03-01T10:00:00Z');

function verify(url: string, headers: Record<string, string>, now = signedAt): Promise<void> {
  const message = Object.assign(new IncomingMessage(new Socket()), { method: 'GET', url, headers });
  message.rawHeaders = Object.entries(headers).flat();
  return verifySignature(readRequest(message, 'id'), credentials, now);
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
    await verify(presigned, { host });
    await expect(verify(presigned.replace('tag=b', 'tag=c'), { host })).rejects.toMatchObject({
      status: 403,
      reason: 'the signature does not match the request',
    });
  });

  it('accepts a signature in the Authorization header, and rejects it for another path or host', async () => {
    await verify('/prod', signed);
    await expect(verify('/test', signed)).rejects.toMatchObject({ status: 403 });
    await expect(verify('/prod', { ...signed, host: 'example.org' })).rejects.toMatchObject({ status: 403 });
  });

  it('rejects a signature of another access key, even one made with the same secret', async () => {
    const authorization = signed.authorization.replace('AKIDEXAMPLE', 'AKIDOTHER');
    await expect(verify('/prod', { ...signed, authorization })).rejects.toMatchObject({
      reason: 'the credential is not of this key, day and service',
    });
  });

  it('rejects a signature once it has expired, and one from the future', async () => {
    await expect(verify(presigned, { host }, signedAt + 61_000)).rejects.toMatchObject({
      reason: 'the signature has expired',
    });
    await expect(verify('/prod', signed, signedAt - 301_000)).rejects.toMatchObject({
      reason: 'the signature is not valid yet',
    });
  });
});
