import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Answer } from '../../functions/api/endpoints/openapi.ts';
import { openApi } from '../../functions/api-documents/openapi/document.ts';

/** A request and what was answered. */
export interface Exchange {
  readonly method: string;
  /** With or without a query and a fragment. */
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  /** The body as text. */
  readonly text: string;
}

const api = openApi('https://deploy.example.com');
const ROOT = 'https://deploy.example.com/1/openapi.json';

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false, strictTypes: false });
addFormats.default(ajv);
// Only the schemas of a document are JSON Schema; the rest is looked into by reference.
ajv.addVocabulary(Object.keys(api));
ajv.addSchema({ ...api, $id: ROOT });

const validators = new Map<string, ValidateFunction>();

/** Returns the check of a part of the description: `/components/schemas/Entry`. */
export function validator(pointer: string): ValidateFunction {
  const known = validators.get(pointer) ?? ajv.compile({ $ref: `${ROOT}#${pointer}` });
  validators.set(pointer, known);
  return known;
}

/** Returns what an answer of the service has that the description of the API has not; null when it is as described. */
export function undescribed(exchange: Exchange): string | null {
  const found = answerFor(exchange);
  if (!found) return `${exchange.method} ${exchange.path} has no answer ${exchange.status}.`;
  const missing = ['x-api-uuid', 'x-api-version'].filter((name) => !exchange.headers.has(name));
  if (missing.length > 0) return `${exchange.method} ${exchange.path} has no header ${missing.join(', ')}.`;
  const type = (exchange.headers.get('content-type') ?? '').split(';')[0] ?? '';
  if (exchange.text === '') return null;
  if (!found.answer.content?.[type]) return `${exchange.method} ${exchange.path}: ${exchange.status} has no ${type}.`;
  return (
    bodiesOf(type, exchange.text)
      .map(broken(exchange, found.pointer, type))
      .find(Boolean) ?? null
  );
}

function broken({ method, path }: Exchange, pointer: string, type: string): (body: unknown) => string | null {
  const check = validator(`${pointer}/content/${escapedPointer(type)}/schema`);
  return (body) => {
    if (check(body)) return null;
    return `${method} ${path}: ${ajv.errorsText(check.errors)} in ${JSON.stringify(body).slice(0, 2000)}`;
  };
}

function bodiesOf(type: string, text: string): unknown[] {
  if (type === 'application/x-ndjson')
    return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  return [/json$/.test(type) ? JSON.parse(text) : text];
}

interface Found {
  readonly answer: Answer;
  readonly pointer: string;
}

function answerFor({ method, path, status }: Exchange): Found | null {
  const template = templateOf(path.split(/[?#]/)[0] ?? '', method);
  const operation = template && api.paths[template]?.[method.toLowerCase()];
  if (operation) {
    const answer = operation.responses[status];
    const pointer = `/paths/${escapedPointer(template)}/${method.toLowerCase()}/responses/${status}`;
    return answer && !('$ref' in answer) ? { answer, pointer } : null;
  }
  const name = { 404: 'NotFound', 405: 'MethodNotAllowed' }[status];
  const answer = name && api.components.responses[name];
  return answer ? { answer, pointer: `/components/responses/${name}` } : null;
}

/** Returns the described path that a path matches: the one with the fewest variables. */
function templateOf(path: string, method: string): string | null {
  const plain = path.replace(/(?<=.)\/+$/, '');
  const matching = Object.keys(api.paths).filter(
    (one) =>
      api.paths[one]?.[method.toLowerCase()] &&
      new RegExp(`^${one.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(plain),
  );
  const variables = (one: string) => one.split('{').length;
  return matching.sort((one, other) => variables(one) - variables(other))[0] ?? null;
}

function escapedPointer(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}
