// Decides who may use an emulator: only what was signed with this start's key, which other users of this machine cannot
// read, and only at the emulator's own address, so that a web page cannot reach it by a name that leads to 127.0.0.1.
import { refusalOf } from './signature.mjs';

export async function refusalOfMessage(message, credentials, body) {
  if (!isOwnHost(message)) return 'the Host header names another server';
  return refusalOf(signedRequest(message, body), credentials, Date.now());
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
