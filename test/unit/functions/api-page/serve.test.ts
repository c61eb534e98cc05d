import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { setupTexts } from '../../../../functions/adapters/senders/setup-texts.ts';
import type { BodilessAnswer, StreamAnswer } from '../../../../functions/api/http.ts';
import { serve } from '../../../../functions/api-page/serve.ts';
import type { PageEncoding, PageFiles } from '../../../../functions/core/ports/page.ts';
import { version } from '../../../../functions/core/version.ts';
import { request } from '../../../support/requests.ts';

const base = 'https://deploy.example.com';
const signalsUrl = 'wss://signals.example.com/live';
const repositoriesUrl = 'https://git.example.com';
const text = 'console.log("the page")';
const bytes: Readonly<Record<PageEncoding, Uint8Array>> = {
  br: brotliCompressSync(text),
  gzip: gzipSync(text),
  identity: Buffer.from(text),
};
const files: PageFiles = {
  names: async () => ({ script: 'main-A.js', style: 'main-B.css', icon: 'icon-C.svg' }),
  read: async (name, encoding) => (name === 'main-A.js' ? bytes[encoding] : null),
};
const answer = serve({
  files,
  signalsUrl: () => signalsUrl,
  repositoriesUrl,
  defaultBranch: 'trunk',
  setupTexts: async (service) => setupTexts(service),
});
const html = { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8' };

const bodyOf = ({ body }: StreamAnswer | BodilessAnswer) => buffer(body ?? Readable.from([]));

const root = (headers: Record<string, string>, at = base) => answer(request({ resource: '/', headers, base: at }));
const asset = (file: string, headers: Record<string, string> = {}) =>
  answer(request({ resource: '/assets/{file}', params: { file }, headers, base }));

describe('GET /', () => {
  it('is the page for browsers, which loads its own files only and has no inline script', async () => {
    const answered = await root(html);
    const page = String(await bodyOf(answered));
    expect(answered.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page).toContain('<script type="module" src="/assets/main-A.js"></script>');
    expect(page).toContain(`<meta name="signals" content="${signalsUrl}">`);
    expect(page).toContain(`<meta name="repositories" content="${repositoriesUrl}">`);
    expect(page.replace(repositoriesUrl, '')).not.toMatch(/<script(?![^>]* src=)|<style|style=|https?:/);
  });

  it('names its files below the path of the service, which has a stage on AWS', async () => {
    expect(String(await bodyOf(await root(html, 'https://a1.execute-api.eu-west-1.amazonaws.com/live')))).toContain(
      'src="/live/assets/main-A.js"',
    );
  });

  it('confines the page to its own files, the service and the WebSocket, and cannot be framed', async () => {
    const policy = (await root(html)).headers['content-security-policy']?.split('; ');
    expect(policy).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data:",
      "connect-src 'self' wss://signals.example.com",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ]);
  });

  it('is the name, the version and the links of the service for others', async () => {
    const answered = await root({ accept: '*/*' });
    expect(answered.headers).toMatchObject({ 'content-type': 'application/json', vary: 'accept' });
    expect(JSON.parse(String(await bodyOf(answered)))).toMatchObject({
      name: 'deployment-webhooks',
      version,
      links: {
        deploy: `${base}/1/deploy`,
        signals: signalsUrl,
        repositories: `${repositoriesUrl}/<user>/<repository>.git`,
      },
    });
  });

  it('is asked for each time, and 304 without a body for those who have it', async () => {
    const first = await root(html);
    expect(first.headers).toMatchObject({
      'cache-control': 'no-cache',
      etag: expect.stringMatching(/^"[0-9a-f]{32}"$/),
    });
    for (const tag of [first.headers.etag, `W/${first.headers.etag}`, `"other", ${first.headers.etag}`]) {
      const again = await root({ ...html, 'if-none-match': tag ?? '' });
      expect([again.status, again.body, again.headers]).toEqual([304, null, first.headers]);
    }
    // The document of the service has the same address and another tag.
    expect((await root({ 'if-none-match': first.headers.etag ?? '' })).status).toBe(200);
  });
});

describe('GET /assets/<file>', () => {
  it('is kept for ever and sent compressed, as the browser accepts it', async () => {
    const brotli = await asset('main-A.js', { 'accept-encoding': 'gzip, deflate, br, zstd' });
    expect(brotli.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'content-encoding': 'br',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
    });
    expect(String(brotliDecompressSync(await bodyOf(brotli)))).toBe(text);
    const gzip = await asset('main-A.js', { 'accept-encoding': 'gzip;q=1.0' });
    expect(gzip.headers['content-encoding']).toBe('gzip');
    expect(String(gunzipSync(await bodyOf(gzip)))).toBe(text);
    const plain = await asset('main-A.js');
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(String(await bodyOf(plain))).toBe(text);
  });

  it('is 304 for those who have it, in the encoding that they accept', async () => {
    const { etag = '' } = (await asset('main-A.js', { 'accept-encoding': 'br' })).headers;
    expect((await asset('main-A.js', { 'accept-encoding': 'br', 'if-none-match': etag })).status).toBe(304);
    expect((await asset('main-A.js', { 'accept-encoding': 'gzip', 'if-none-match': etag })).status).toBe(200);
  });

  it.each(['main-OLD.js', 'assets.json', '../index.mjs', ''])('%j is 404', async (file) => {
    await expect(asset(file)).rejects.toMatchObject({ code: 'request:not_found' });
  });
});

describe('GET /1/senders', () => {
  it('says how each sender is set up, with placeholders and no secret', async () => {
    const answered = await answer(request({ resource: '/1/senders', base }));
    const { senders, default_branch } = JSON.parse(String(await bodyOf(answered)));
    expect(default_branch).toBe('trunk');
    const github = senders.find(({ id }: { id: string }) => id === 'github');
    expect(github).toMatchObject({ name: 'GitHub', sends: 'pushes', lines: null });
    expect(github.where).toContain('https://github.com/<owner>/<repository>/settings/hooks/new');
    expect(github.settings).toContainEqual(['Payload URL', 'https://<user>:<token>@deploy.example.com/1/deploy']);
    expect(senders.length).toBeGreaterThan(10);
  });
});
