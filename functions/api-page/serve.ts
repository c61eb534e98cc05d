import { dispatch } from '../api/dispatch.ts';
import type { BodilessAnswer, HttpRequest, StreamAnswer } from '../api/http.ts';
import type { Senders, Service } from '../api/shapes/service.ts';
import { entityTag, hasTag } from '../core/entity-tag.ts';
import { DeployError } from '../core/errors.ts';
import type { PageEncoding, PageFiles, SetupTexts } from '../core/ports/page.ts';
import { version } from '../core/version.ts';
import { document, securityHeaders } from './document.ts';

/** Files of the page stay in memory and never change, so their digest is computed once. */
const etags = new WeakMap<Uint8Array, string>();

interface PagePorts {
  readonly files: PageFiles;
  /** Returns the address of the WebSocket API that notifies clients of changes, by the service's own. */
  readonly signalsUrl: (base: string) => string;
  /** Address of the service's own repository host, without a slash at the end; empty when it has none. */
  readonly repositoriesUrl: string;
  readonly setupTexts: SetupTexts;
  /** The branch that is deployed where the address of a webhook names none. */
  readonly defaultBranch: string;
}

type Answer = StreamAnswer | BodilessAnswer;

const FOR_EVER = 'public, max-age=31536000, immutable';
const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/** Returns the endpoints of the page, none of which needs a login. */
export const serve = dispatch('api-page', {
  'GET /': root,
  'GET /assets/{file}': asset,
  'GET /1/senders': senders,
});

/** `GET /`: the document of the page for browsers, the service's name, version and links for all others. */
async function root({ base, headers }: HttpRequest, { files, repositoriesUrl, ...ports }: PagePorts): Promise<Answer> {
  const signalsUrl = ports.signalsUrl(base);
  if (!headers.accept?.includes('text/html')) {
    const body = JSON.stringify(serviceDocument(base, { signalsUrl, repositoriesUrl }));
    return revalidated(headers, body, { 'content-type': 'application/json', vary: 'accept' });
  }
  const body = document({ path: pathOf(base), names: await files.names(), signalsUrl, repositoriesUrl });
  return revalidated(headers, body, {
    ...securityHeaders(signalsUrl),
    'content-type': 'text/html; charset=utf-8',
    vary: 'accept',
  });
}

async function senders({ base, headers }: HttpRequest, { setupTexts, defaultBranch }: PagePorts): Promise<Answer> {
  const answer: Senders = { default_branch: defaultBranch, senders: await setupTexts(base) };
  return revalidated(headers, JSON.stringify(answer), { 'content-type': 'application/json' });
}

async function asset({ params, headers }: HttpRequest, { files }: PagePorts): Promise<Answer> {
  const { file = '' } = params;
  const encoding = chosenEncoding(headers['accept-encoding']);
  const bytes = await files.read(file, encoding);
  const type = TYPES[file.slice(file.lastIndexOf('.') + 1)];
  if (bytes === null || type === undefined) {
    throw new DeployError('request:not_found', 'The page has no such file; reload it to get those of this version.');
  }
  const etag = etags.get(bytes) ?? entityTag(bytes);
  etags.set(bytes, etag);
  return tagged(
    headers,
    { bytes, etag },
    {
      'cache-control': FOR_EVER,
      vary: 'accept-encoding',
      'content-type': type,
      'x-content-type-options': 'nosniff',
      ...(encoding !== 'identity' && { 'content-encoding': encoding }),
    },
  );
}

type Headers = Readonly<Record<string, string>>;

/** A text that clients keep, and ask each time whether it is still the same. */
function revalidated(asked: HttpRequest['headers'], text: string, headers: Headers): Answer {
  const bytes = new TextEncoder().encode(text);
  return tagged(asked, { bytes, etag: entityTag(bytes) }, { ...headers, 'cache-control': 'no-cache' });
}

/** Returns the bytes with an ETag; `304` for a client that has them already. */
function tagged(
  asked: HttpRequest['headers'],
  { bytes, etag }: { readonly bytes: Uint8Array; readonly etag: string },
  headers: Headers,
): Answer {
  if (hasTag(asked['if-none-match'], etag)) return { status: 304, headers: { ...headers, etag }, body: null };
  return { status: 200, headers: { ...headers, etag }, body: chunks(bytes) };
}

async function* chunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** An encoding that is refused has the weight 0, which no browser sends for these. */
function chosenEncoding(accepted = ''): PageEncoding {
  const offered = accepted.split(',').map((one) => one.replace(/;.*/s, '').trim());
  if (offered.includes('br')) return 'br';
  return offered.includes('gzip') ? 'gzip' : 'identity';
}

/** The path of the service's address: empty, or that of the stage on AWS's own domain names. */
function pathOf(base: string): string {
  return URL.canParse(base) ? new URL(base).pathname.replace(/(?<!\/)\/+$/, '') : '';
}

/**
 * Returns what `GET /` answers to programs: the service's name, version and links. `<user>` stands for the user's name.
 */
function serviceDocument(
  base: string,
  { signalsUrl, repositoriesUrl }: { readonly signalsUrl: string; readonly repositoriesUrl: string },
): Service {
  return {
    name: 'deployment-webhooks',
    version,
    links: {
      page: `${base}/`,
      deploy: `${base}/1/deploy`,
      log: `${base}/1/status/<user>/webhooks`,
      changes: `${base}/1/status/<user>/changes`,
      applications: `${base}/1/apps/<user>`,
      senders: `${base}/1/senders`,
      errors: `${base}/errors`,
      signals: signalsUrl,
      ...(repositoriesUrl && { repositories: `${repositoriesUrl}/<user>/<repository>.git` }),
      openapi: `${base}/1/openapi.json`,
    },
  };
}
