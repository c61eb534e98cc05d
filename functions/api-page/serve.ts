import { DeployError } from '../core/errors.ts';
import type { PageEncoding, PageFiles } from '../core/ports/page/page-files.ts';
import type { SetupTexts } from '../core/ports/page/setup-texts.ts';
import type { HttpRequest } from '../triggers/http.ts';
import type { StreamAnswer } from '../triggers/stream.ts';
import { document, securityHeaders } from './document.ts';
import { serviceDocument } from './service-document.ts';

/** The ports of the page's function. */
export interface PagePorts {
  readonly files: PageFiles;
  /** Address of the WebSocket API that notifies clients of changes. */
  readonly signalsUrl: string;
  readonly setupTexts: SetupTexts;
}

type Request = Pick<HttpRequest, 'resource' | 'params' | 'headers' | 'base'>;

const FOR_EVER = 'public, max-age=31536000, immutable';
const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/**
 * Serves the page, without login: `GET /` is its document for browsers and the service's name, version and links for
 * all others, `GET /assets/<file>` its files, and `GET /1/senders` how each sender's webhook is set up.
 */
export function serve(ports: PagePorts): (request: Request) => Promise<StreamAnswer> {
  return async (request) => {
    if (request.resource === '/assets/{file}') return asset(request, ports);
    if (request.resource === '/1/senders') return senders(request, ports);
    return root(request, ports);
  };
}

async function root({ base, headers }: Request, { files, signalsUrl }: PagePorts): Promise<StreamAnswer> {
  if (!headers.accept?.includes('text/html')) {
    const body = JSON.stringify(serviceDocument(base, signalsUrl));
    return answer(body, { 'content-type': 'application/json', vary: 'accept' });
  }
  const body = document({ path: pathOf(base), names: await files.names(), signalsUrl });
  return answer(body, {
    ...securityHeaders(signalsUrl),
    'content-type': 'text/html; charset=utf-8',
    vary: 'accept',
  });
}

async function senders({ base }: Request, { setupTexts }: PagePorts): Promise<StreamAnswer> {
  const body = JSON.stringify({ senders: await setupTexts(base) });
  return answer(body, { 'content-type': 'application/json' });
}

async function asset({ params, headers }: Request, { files }: PagePorts): Promise<StreamAnswer> {
  const { file = '' } = params;
  const encoding = chosenEncoding(headers['accept-encoding']);
  const bytes = await files.read(file, encoding);
  const type = TYPES[file.slice(file.lastIndexOf('.') + 1)];
  if (bytes === null || type === undefined) {
    throw new DeployError('request:not_found', 'The page has no such file; reload it to get those of this version.');
  }
  return {
    status: 200,
    headers: {
      'cache-control': FOR_EVER,
      vary: 'accept-encoding',
      'content-type': type,
      'x-content-type-options': 'nosniff',
      ...(encoding !== 'identity' && { 'content-encoding': encoding }),
    },
    body: chunks(bytes),
  };
}

/** Without ETag: the head of a stream leaves with its first chunk, which a 304 has not. */
function answer(text: string, headers: Readonly<Record<string, string>>): StreamAnswer {
  const body = chunks(new TextEncoder().encode(text));
  return { status: 200, headers: { ...headers, 'cache-control': 'no-cache' }, body };
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
  return URL.canParse(base) ? new URL(base).pathname.replace(/\/+$/, '') : '';
}
