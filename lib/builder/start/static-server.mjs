// Serves a folder of files: `node static-server.mjs <folder>` on PORT and HOST. It is the process of an application
// that has no server, so it is plain JavaScript and imports nothing but Node.
import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, resolve, sep } from 'node:path';
import { pipeline } from 'node:stream';

/** https://developer.mozilla.org/docs/Web/HTTP/Guides/MIME_types/Common_types */
const TYPES = {
  '.avif': 'image/avif',
  '.css': 'text/css; charset=utf-8',
  '.csv': 'text/csv; charset=utf-8',
  '.gif': 'image/gif',
  '.htm': 'text/html; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/vnd.microsoft.icon',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.mp3': 'audio/mpeg',
  '.mp4': 'video/mp4',
  '.otf': 'font/otf',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webm': 'video/webm',
  '.webmanifest': 'application/manifest+json',
  '.webp': 'image/webp',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.xml': 'text/xml; charset=utf-8',
  '.zip': 'application/zip',
};

const root = await realpath(resolve(process.argv[2] ?? '.'));
const server = createServer((request, response) => {
  answer(request, response).catch(() => end(response, 500, 'The file could not be read.\n'));
});
server.listen(Number(process.env.PORT), process.env.HOST);
process.on('SIGTERM', () => {
  server.close(() => process.exit(0));
  server.closeIdleConnections();
});

async function answer(request, response) {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD');
    return end(response, 405, 'This site answers GET and HEAD.\n');
  }
  const [pathname = '/', query] = request.url.split(/\?(.*)/s);
  const path = decoded(pathname);
  if (path === undefined) return end(response, 400, 'The path cannot be decoded.\n');
  const found = isHidden(path) ? undefined : await fileAt(path);
  if (found?.redirect) {
    response.setHeader('location', `${pathname.replace(/^\/+/, '/')}/${query === undefined ? '' : `?${query}`}`);
    return end(response, 308, '');
  }
  if (found) return send(request, response, { ...found, status: 200 });
  const fallback = await fallbackFor(path);
  if (fallback) return send(request, response, fallback);
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

/**
 * A path without an extension may be one of a page's own router: it gets index.html, unless the site has a 404.html.
 */
async function fallbackFor(path) {
  const missing = await kindOf('/404.html');
  if (missing?.file) return { ...missing, status: 404 };
  const index = extname(path) === '' && !isHidden(path) ? await kindOf('/index.html') : undefined;
  return index?.file ? { ...index, status: 200 } : undefined;
}

async function kindOf(path) {
  const real = await realpath(join(root, path)).catch(() => undefined);
  // A link that leads out of the folder, or to what is not part of the site, is not followed.
  if (real === undefined || (real !== root && !real.startsWith(root + sep))) return undefined;
  if (isHidden(real.slice(root.length))) return undefined;
  const info = await stat(real).catch(() => undefined);
  return info && { file: info.isFile() ? real : undefined, info };
}

function send(request, response, { file, info, status }) {
  const etag = `W/"${info.size.toString(36)}-${Math.floor(info.mtimeMs).toString(36)}"`;
  response.setHeader('etag', etag);
  response.setHeader('cache-control', 'public, max-age=0, must-revalidate');
  response.setHeader('content-type', TYPES[extname(file).toLowerCase()] ?? 'application/octet-stream');
  response.setHeader('x-content-type-options', 'nosniff');
  const known = (request.headers['if-none-match'] ?? '').split(/\s*,\s*/);
  if (status === 200 && (known.includes(etag) || known.includes('*'))) {
    response.writeHead(304).end();
    return;
  }
  response.writeHead(status, { 'content-length': info.size });
  if (request.method === 'HEAD') response.end();
  else pipeline(createReadStream(file), response, () => undefined);
}

function end(response, status, text) {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(text);
}

/** Dotfiles (but for .well-known) and packages are not part of a site. */
function isHidden(path) {
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
