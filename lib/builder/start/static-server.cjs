// Serves a folder of files: `node static-server.cjs <folder>` on PORT and HOST. It is the process of an application
// that has no server, so it is plain JavaScript. For AWS Lambda it is bundled into one file. It is CommonJS because the
// guard of an application's modules refuses imports of packages above its release, whoever imports them.
'use strict';

const { createReadStream } = require('node:fs');
const { readdir, realpath, stat } = require('node:fs/promises');
const { createServer } = require('node:http');
const { extname, join, resolve, sep } = require('node:path');
const { pipeline } = require('node:stream');
const { createGzip } = require('node:zlib');
const fresh = require('fresh');
const { contentType } = require('mime-types');
const parseRange = require('range-parser');

/** What a build has compressed lies beside its file, in this order of preference. */
const COMPRESSED = [
  { coding: 'br', extension: '.br' },
  { coding: 'gzip', extension: '.gz' },
];
/** Types that are smaller when they are compressed. */
const COMPRESSIBLE = /^(?:text\/|image\/svg|application\/(?:.*\+)?(?:json|xml|wasm|javascript)|font\/(?:otf|ttf))/;
const SMALLEST_COMPRESSED = 1024;
/** The level of zlib: half of what level 6 costs, for a tenth more bytes. */
const LEVEL = 1;
/** Files that are not served of an application whose root is its site. */
const NOT_OF_A_SITE = /^\/(?:package(?:-lock)?\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|app\.json|Procfile)$/i;

let root = '';
let isApplication = false;
/** The page that answers all paths that are no file; undefined: none does. */
let router;

void main(process.argv[2] ?? '.');

async function main(folder) {
  root = await realpath(resolve(folder));
  isApplication = root === (await realpath('.'));
  router = await findRouter();
  const server = createServer((request, response) => {
    answer(request, response).catch(() => end(response, 500, 'The file could not be read.\n'));
  });
  server.listen(Number(process.env.PORT), process.env.HOST);
  process.on('SIGTERM', () => {
    server.close(() => process.exit(0));
    server.closeIdleConnections();
  });
}

async function answer(request, response) {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD');
    return end(response, 405, 'This site answers GET and HEAD.\n');
  }
  const [pathname = '/', query] = request.url.split(/\?(.*)/s);
  const path = decoded(pathname);
  if (path === undefined) return end(response, 400, 'The path cannot be decoded.\n');
  const found = await fileAt(path);
  if (found?.redirect) {
    response.setHeader('location', `${pathname.replace(/^\/+/, '/')}/${query === undefined ? '' : `?${query}`}`);
    return end(response, 308, '');
  }
  if (found) return send(request, response, { ...found, status: 200 });
  const missing = await kindOf('/404.html');
  if (missing?.file) return send(request, response, { ...missing, status: 404 });
  const page = router && asksForPage(request, path) && !isHidden(path) ? await kindOf(router) : undefined;
  if (page?.file) return send(request, response, { ...page, status: 200 });
  return end(response, 404, 'There is no such file.\n');
}

/** `/about` is about, about.html, or about/index.html at the address /about/. */
async function fileAt(path) {
  const exact = await kindOf(path);
  if (exact?.file) return exact;
  if (!path.endsWith('/')) {
    const page = await kindOf(`${path}.html`);
    if (page?.file) return page;
  }
  if (!exact) return undefined;
  const index = await kindOf(`${path}/index.html`);
  if (!index?.file) return undefined;
  return path.endsWith('/') ? index : { redirect: true };
}

/** Browsers ask for a page with its type; for scripts they take any, as programs do for all. */
function asksForPage({ headers: { accept = '*/*' } }, path) {
  return accept.includes('text/html') || (accept === '*/*' && extname(path) === '');
}

/**
 * The page with a router of its own, which gets all paths that are no file: 200.html, as the field calls it, or the only
 * page of the site. A site of several pages has none.
 */
async function findRouter() {
  if ((await kindOf('/200.html'))?.file) return '/200.html';
  const folders = [''];
  for (const folder of folders) {
    for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      if (isHidden(path)) continue;
      if (entry.isDirectory()) folders.push(path);
      else if (/\.html?$/i.test(path) && path !== '/index.html' && path !== '/404.html') return undefined;
    }
  }
  return '/index.html';
}

async function kindOf(path) {
  if (isHidden(path)) return undefined;
  const real = await realpath(join(root, path)).catch(() => undefined);
  // A link that leads out of the folder, or to what is not part of the site, is not followed.
  if (real === undefined || (real !== root && !real.startsWith(root + sep))) return undefined;
  if (isHidden(real.slice(root.length))) return undefined;
  const info = await stat(real).catch(() => undefined);
  return info && { file: info.isFile() ? real : undefined, info };
}

/** Sends a file, compressed where the client takes that, or the part of it that is asked for. */
async function send(request, response, { file, info, status }) {
  const type = contentType(extname(file)) || 'application/octet-stream';
  const sent = { file, info, ...(await codingFor(request, { file, info, type })) };
  const etag = `W/"${sent.info.size.toString(36)}-${Math.floor(sent.info.mtimeMs).toString(36)}"`;
  const headers = {
    etag,
    'last-modified': info.mtime.toUTCString(),
    'cache-control': 'public, max-age=0, must-revalidate',
    'content-type': type,
    'x-content-type-options': 'nosniff',
    'accept-ranges': 'bytes',
    ...(COMPRESSIBLE.test(type) && { vary: 'accept-encoding' }),
    ...(sent.coding && { 'content-encoding': sent.coding }),
  };
  if (status === 200 && fresh(request.headers, headers)) {
    response.writeHead(304, headers).end();
    return;
  }
  const part = status === 200 ? partOf(request, info) : undefined;
  if (part === -1) {
    response.setHeader('content-range', `bytes */${info.size}`);
    return end(response, 416, 'The file has no such part.\n');
  }
  if (part) headers['content-range'] = `bytes ${part.start}-${part.end}/${info.size}`;
  if (!sent.zip) headers['content-length'] = part ? part.end - part.start + 1 : sent.info.size;
  response.writeHead(part ? 206 : status, headers);
  if (request.method === 'HEAD') return response.end();
  const zip = sent.zip ? [createGzip({ level: LEVEL })] : [];
  pipeline(createReadStream(sent.file, part), ...zip, response, () => undefined);
}

/** The coding of a whole file: what the build has left beside it, or gzip as it is sent. A part is a part of the file. */
async function codingFor({ headers }, { file, info, type }) {
  if (!COMPRESSIBLE.test(type) || headers.range !== undefined) return {};
  for (const { coding, extension } of COMPRESSED) {
    if (!takes(headers, coding)) continue;
    const built = await kindOf(`${file.slice(root.length)}${extension}`);
    if (built?.file) return { coding, ...built };
  }
  return info.size >= SMALLEST_COMPRESSED && takes(headers, 'gzip') ? { coding: 'gzip', zip: true } : {};
}

function takes({ 'accept-encoding': accepted = '' }, coding) {
  const asked = accepted.split(',').map((one) => one.split(/;\s*q=/i));
  return asked.some(([name, q]) => name.trim().toLowerCase() === coding && Number(q ?? 1) > 0);
}

/**
 * The one part of a file that is asked for; -1 when the file has no such part; undefined for the whole file, which also
 * answers several parts and an `If-Range` of another version.
 */
function partOf({ headers: { range, 'if-range': since } }, { size, mtime }) {
  if (range === undefined || (since !== undefined && since !== mtime.toUTCString())) return undefined;
  const parts = parseRange(size, range, { combine: true });
  if (parts === -1) return -1;
  return parts !== -2 && parts.type === 'bytes' && parts.length === 1 ? parts[0] : undefined;
}

function end(response, status, text) {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(text);
}

/** Dotfiles (but for .well-known), packages and what describes an application are not part of a site. */
function isHidden(path) {
  if (isApplication && NOT_OF_A_SITE.test(path)) return true;
  return path
    .split(/[\\/]/)
    .some((name) => (name.startsWith('.') && name !== '.well-known') || name === 'node_modules');
}

function decoded(path) {
  try {
    const text = decodeURIComponent(path);
    return text.startsWith('/') && !text.includes('\0') && !text.includes('\\') ? text : undefined;
  } catch {
    return undefined;
  }
}
