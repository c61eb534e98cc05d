import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import {
  httpAppDomains,
  httpAppEvents,
  httpApplications,
  httpAppProcesses,
  httpAppRuns,
  httpAppVariables,
} from '../../../../functions/adapters/platform/http/applications.ts';
import { httpAppOperations, httpPlatform } from '../../../../functions/adapters/platform/http/hosting.ts';
import { httpAppOutput, httpBuildOutput } from '../../../../functions/adapters/platform/http/output.ts';
import type { Platform } from '../../../../lib/platform/platform.ts';
import { uploadOf } from '../../../contracts/hosting-platform.ts';
import {
  appFiles,
  basic,
  login,
  serverFile,
  serviceToken,
  tarball,
  temporaryFolder,
} from '../../../support/platform/harness.ts';
import { startInProcess } from '../../../support/platform/in-process.ts';

const document = JSON.parse(readFileSync(new URL('../../../../lib/platform/openapi.json', import.meta.url), 'utf8'));
const METHODS = ['get', 'put', 'post', 'patch', 'delete'];

/** The statuses for which `default` stands. */
const ANYWHERE = [400, 403, 404, 500, 503];

/** `GET /apps/{user}`, for all operations of the document. */
const operations: readonly string[] = Object.entries<object>(document.paths).flatMap(([path, item]) =>
  Object.keys(item).flatMap((method) => (METHODS.includes(method) ? [`${method.toUpperCase()} ${path}`] : [])),
);

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats(ajv);
ajv.addSchema(document, 'platform');

/** Returns what is wrong with a value that stands at a place of the document. */
function wrong(value: unknown, ...place: readonly string[]): string | null {
  const pointer = place.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
  const validate = ajv.getSchema(`platform#/${pointer}`);
  if (!validate) return `there is no ${pointer}`;
  return validate(value) ? null : ajv.errorsText(validate.errors);
}

/** A call as it was made. */
interface Made {
  readonly operation: string;
  readonly status: number;
}

/** Returns a `fetch` that notes calls, and what they say that the document does not. */
function recorder(made: Made[], mistakes: string[]): typeof fetch {
  return async (input, init) => {
    const { pathname } = new URL(String(input));
    const method = init?.method ?? 'GET';
    const response = await fetch(input, init);
    const template = Object.keys(document.paths).find((path) => fits(path, pathname)) ?? pathname;
    const operation = `${method} ${template}`;
    const { status } = response;
    made.push({ operation, status });
    const note = (text: string | null) => text !== null && mistakes.push(`${operation} ${status}: ${text}`);
    if (!operations.includes(operation)) note('it is not in the document');
    else for (const text of await differences(method.toLowerCase(), template, { init, response })) note(text);
    return response;
  };
}

function fits(template: string, pathname: string): boolean {
  const [parts, given] = [template.split('/'), pathname.split('/')];
  return parts.length === given.length && parts.every((part, at) => part.startsWith('{') || part === given[at]);
}

async function differences(
  method: string,
  template: string,
  { init, response }: { readonly init: RequestInit | undefined; readonly response: Response },
): Promise<readonly (string | null)[]> {
  const { status, headers } = response;
  const { responses } = document.paths[template][method];
  const key = ANYWHERE.includes(status) ? 'default' : String(status);
  const declared = responses[key];
  if (declared === undefined) return ['the status is not declared'];
  const found: (string | null)[] = [];
  if (typeof init?.body === 'string') {
    const place = ['requestBody', 'content', 'application/json', 'schema'];
    found.push(wrong(JSON.parse(init.body), 'paths', template, method, ...place));
  }
  const named = declared.$ref?.split('/').at(-1);
  const at = named === undefined ? ['paths', template, method, 'responses', key] : ['components', 'responses', named];
  for (const name of Object.keys(
    (named === undefined ? declared : document.components.responses[named]).headers ?? {},
  )) {
    if (!headers.has(name)) found.push(`the header ${name} is missing`);
  }
  const type = headers.get('content-type')?.split(';')[0] ?? '';
  const text = await response.clone().text();
  if (type === 'application/x-ndjson') {
    const schema = String(declared.content[type].schema.$ref).split('/').at(-1) ?? '';
    for (const line of text.split('\n').filter(Boolean))
      found.push(wrong(JSON.parse(line), 'components', 'schemas', schema));
  } else if (type === 'application/json') found.push(wrong(JSON.parse(text), ...at, 'content', type, 'schema'));
  else if (text !== '' && type !== 'text/plain') found.push(`a body of the type "${type}"`);
  return found;
}

describe('the document of the platform API', () => {
  it('has exactly the paths and methods of the server', async () => {
    const platform = await startInProcess({ dataDir: await temporaryFolder(), serviceToken });
    await platform.close();
    const served = platform.apiOperations.map((operation) => operation.replaceAll(/:(\w+)/g, '{$1}'));
    expect([...operations].sort()).toEqual(served.sort());
  });

  it('is what the adapter and the server say to each other, in every operation', async () => {
    const [made, mistakes]: [Made[], string[]] = [[], []];
    const platform = await startInProcess({
      dataDir: await temporaryFolder(),
      serviceToken,
      limits: { drainMs: 500, graceMs: 500, serverErrorMs: 200 },
    });
    try {
      const observed = recorder(made, mistakes);
      await adapterCalls(platform, observed);
      await otherCalls(platform, observed);
    } finally {
      await platform.close();
    }
    expect(mistakes).toEqual([]);
    const succeeded = made.filter(({ status }) => status < 300).map(({ operation }) => operation);
    expect(operations.filter((one) => !succeeded.includes(one))).toEqual([]);
  });
});

const ref = (snapshot: string, app = 'shop') => ({ user: login.user, app, snapshot });
const shop = ref('1');

/** Everything that the service does, with what fails. */
async function adapterCalls({ url }: Platform, observed: typeof fetch): Promise<void> {
  const options = { url, serviceToken, fetch: observed };
  const [hosting, apps, operate] = [httpPlatform(options), httpApplications(options), httpAppOperations(options)];
  const variables = httpAppVariables(options);
  const crash = "console.error('no'); process.exit(1)";
  for (const [snapshot, server] of [
    ['1', serverFile('one')],
    ['2', crash],
  ] as const) {
    await hosting.ensureApp(shop, { name: 'shop', version: '1.0.0' });
    const bytes = await tarball(appFiles('shop', server));
    await hosting.upload(ref(snapshot), uploadOf(bytes));
    await hosting.upload(ref(snapshot), uploadOf(bytes));
    await hosting.activate(ref(snapshot));
    await expect.poll(() => hosting.poll(ref(snapshot), 5), { timeout: 60_000 }).toEqual({ state: 'ready' });
  }
  expect(await hosting.upload(shop, uploadOf(Buffer.from('other')))).toBe('taken');
  await hosting.start(shop);
  await expect(hosting.start(ref('2'))).rejects.toThrow();
  await expect(hosting.poll(ref('3'))).rejects.toThrow();
  await hosting.cancel(ref('2'));
  await hosting.cancel(ref('3'));
  await apps.list(login.user);
  await apps.find(shop);
  await apps.snapshots(shop);
  await variables.set(shop, { COLOUR: 'red' });
  await variables.read(shop);
  await variables.unset(shop, 'COLOUR');
  const domains = httpAppDomains(options);
  await domains.add(shop, 'shop.invalid');
  await domains.add(shop, 'shop.invalid');
  await expect(domains.add(shop, 'shop.localhost')).rejects.toThrow();
  await domains.list(shop);
  await domains.remove(shop, 'shop.invalid');
  await domains.remove(shop, 'shop.invalid');
  const never = new AbortController().signal;
  await linesOf(await httpAppOutput(options).read(shop, { lines: 10, follow: false }, never));
  await linesOf(await httpBuildOutput(options).read(ref('2'), false, never));
  await httpAppEvents(options).after(0);
  await httpAppProcesses(options).list(shop);
  await httpAppProcesses(options).scale(shop, { web: 1 });
  await expect(httpAppProcesses(options).scale(shop, { mailer: 1 })).rejects.toThrow();
  const runs = httpAppRuns(options);
  const run = (await runs.start(shop, { command: ['cat'] }))?.id ?? '';
  await runs.write(shop, run, { data: Buffer.from('hi').toString('base64'), end: true });
  await linesOf(await runs.read(shop, run, never));
  const terminal = { columns: 80, rows: 24, type: 'xterm' };
  const shown = (await runs.start(shop, { command: ['cat'], terminal }))?.id ?? '';
  await runs.write(shop, shown, { terminal: { columns: 100, rows: 30 }, signal: 'SIGTERM' });
  await linesOf(await runs.read(shop, shown, never));
  await expect(runs.start(shop, { command: ['no-such-program'] })).rejects.toThrow();
  await operate.rename(shop, '@ann/shop');
  await operate.rename(shop, '@ann/shop');
  await operate.rename(ref('1', 'ann-shop'), 'shop');
  await operate.restart(shop);
  await operate.stop(shop);
  await operate.remove(shop);
  await expect(apps.find(shop)).resolves.toBeNull();
}

async function linesOf(lines: AsyncIterable<unknown> | null): Promise<void> {
  if (lines) for await (const _line of lines);
}

/** What the API offers besides, and what it refuses. */
async function otherCalls({ url }: Platform, observed: typeof fetch): Promise<void> {
  const call = (method: string, path: string, json?: unknown, secret = serviceToken) =>
    observed(`${url}${path}`, {
      method,
      headers: { authorization: basic(login.user, secret), 'content-type': 'application/json' },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    });
  const app = `/apps/${login.user}/blog`;
  await call('POST', app, { name: 'blog' });
  await call('POST', app, { name: 'blog' });
  await call('PUT', `${app}/env`, { A: '1' });
  await call('PATCH', `${app}/env`, { A: null, B: '2' });
  await call('DELETE', `${app}/env/B`);
  await call('GET', '/events');
  await call('GET', '/apps/other');
  await call('GET', '/events', undefined, 'wrong');
  await call('POST', `${app}/start`, {});
  await call('POST', `${app}/restart`);
  await call('GET', `${app}/logs?lines=x`);
  await call('PATCH', `${app}/processes`, { worker: 1 });
}
