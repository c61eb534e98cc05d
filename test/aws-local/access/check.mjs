// Decides who may use an emulator: only what was signed with a key of this start, which other users of this machine
// cannot read, and only at the emulator's own address, so that a web page cannot reach it by a name that leads to
// 127.0.0.1.
import { keyOf, NOT_SIGNED, refusalOf, WRONG_TOKEN } from './signature.mjs';

export async function identify(message, guard, body) {
  if (!isOwnHost(message)) return { refusal: 'the Host header names another server' };
  const request = signedRequest(message, body);
  const key = keyOf(request);
  if (!key) return { refusal: NOT_SIGNED };
  const principal = guard.principal(key.accessKeyId);
  if (!principal) return { refusal: 'the credential is not of a key of this start' };
  const { accessKeyId, secretAccessKey, sessionToken } = principal;
  if (sessionToken !== undefined && key.sessionToken !== sessionToken) return { refusal: WRONG_TOKEN };
  const refusal = await refusalOf(request, { accessKeyId, secretAccessKey }, Date.now());
  return refusal === undefined ? { caller: accessKeyId } : { refusal };
}

export function isOwnHost({ headers, socket }) {
  return [`127.0.0.1:${socket.localPort}`, `localhost:${socket.localPort}`].includes(headers.host ?? '');
}

function signedRequest({ method = 'GET', url = '/', headers }, body) {
  const [path = '/', search = ''] = url.split(/\?(.*)/s);
  const texts = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  const request = {
    method,
    host: headers.host ?? '',
    path,
    query: queryOf(search),
    headers: Object.fromEntries(texts),
  };
  return body === undefined ? request : { ...request, body };
}

function queryOf(search) {
  const query = {};
  for (const [name, value] of new URLSearchParams(search))
    query[name] = name in query ? [query[name], value].flat() : value;
  return query;
}
